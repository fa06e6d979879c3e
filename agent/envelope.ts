/** What a model is told of a failed tool call: never more than is known, and no raw text of the failure. */
import { AppError } from './errors.ts';

export interface FailureEnvelope {
  readonly ok: false;
  readonly kind: string;
  readonly retryable: boolean;
  readonly did_it_happen: 'no' | 'unknown';
  readonly advice: string;
}

const envelope = (kind: string, retryable: boolean, didItHappen: 'no' | 'unknown', advice: string): FailureEnvelope => ({
  ok: false,
  kind,
  retryable,
  did_it_happen: didItHappen,
  advice,
});

export const unknownTool = (names: readonly string[]): FailureEnvelope =>
  envelope('not_found', false, 'no', `There is no tool of that name. The tools are: ${names.join(', ') || 'none'}.`);

export const invalidArguments = (advice: string): FailureEnvelope => envelope('invalid_args', true, 'no', advice);

export const tooManyCalls = (limit: number): FailureEnvelope =>
  envelope(
    'denied',
    false,
    'no',
    `Only the first ${limit} calls of a step run. Ask for the rest in the next step if you need it.`,
  );

export const repeatedCall = (): FailureEnvelope =>
  envelope(
    'repeated',
    false,
    'no',
    'You made this call before with the same arguments; its result stands above. Answer now with what you have.',
  );

/** The failure of a tool that ran, or that was stopped. `effect` decides whether its outcome is known. */
export const toolFailure = (error: unknown, effect: 'read' | 'write', timeoutMs: number): FailureEnvelope => {
  const happened = effect === 'write' ? 'unknown' : 'no';
  if (!(error instanceof AppError))
    return envelope('internal', false, happened, 'The tool failed inside. Go on without its result.');
  switch (error.code) {
    case 'tool_timeout':
      return envelope(
        'timeout',
        effect === 'read',
        happened,
        `No answer within ${timeoutMs / 1000} s. Nothing else is known; this is no evidence that the service is down.`,
      );
    case 'tool_arguments':
      return envelope('invalid_args', true, 'no', error.message);
    case 'tool_refused':
      return envelope('denied', false, 'no', error.message);
    default:
      return envelope(
        error.retryable ? 'network' : 'internal',
        error.retryable,
        happened,
        error.retryable
          ? 'The service behind the tool could not be reached.'
          : 'The tool failed inside. Go on without its result.',
      );
  }
};
