/** What all peers have in common: the tools' results and the prompt. */
export const DOCUMENT = 'Refunds are accepted within 30 days of purchase. '.repeat(10);
export const SUM = '3';
export const MODEL = 'scripted';
export const MAX_STEPS = 8;
