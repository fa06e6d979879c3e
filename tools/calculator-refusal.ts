/** Why a calculation is not made. `reason` completes the sentence "I cannot calculate this: …" and says what would work. */
export type RefusalKind =
  | 'syntax'
  | 'ambiguous'
  | 'unknown_name'
  | 'unit'
  | 'date'
  | 'division_by_zero'
  | 'domain'
  | 'too_large'
  | 'limit';

/** Thrown inside the calculator only; its tool turns it into a result. */
export class CalculationRefused extends Error {
  override readonly name = 'CalculationRefused';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

export const refuse = (kind: RefusalKind, reason: string): never => {
  throw new CalculationRefused(kind, reason);
};
