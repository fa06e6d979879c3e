/** The numbers of the calculator. */
import { Decimal as DecimalJs } from 'decimal.js';

/** 40 digits; results are shown with 30, so that rounding does not show. */
export const Decimal = DecimalJs.clone({ precision: 40, maxE: 10_000, minE: -10_000, rounding: DecimalJs.ROUND_HALF_UP });
export type Value = InstanceType<typeof Decimal>;
