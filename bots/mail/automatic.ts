/**
 * Mails that no person wrote to us. None of them makes a ticket, and none is ever answered: two machines that answer each other do
 * not stop. https://www.rfc-editor.org/rfc/rfc3834
 */

export interface HeaderOf {
  /** By its name in lower case; undefined where the mail has none. */
  first(name: string): string | undefined;
}

/** On every mail of ours. */
export const LOOP_HEADER = 'X-Loop';

const MACHINES = /^(?:mailer-daemon|postmaster|bounces?)(?:[+-][^@]*)?@/u;
const REPORT = /^multipart\/report\b/iu;
const MASS = /^(?:bulk|list|junk|auto_reply)\b/iu;

/** In a word or two, for the log; null for a mail that a person wrote. */
export const automaticReason = ({ first }: HeaderOf, from: string): string | null => {
  const submitted = first('auto-submitted');
  if (submitted !== undefined && !/^no\b/iu.test(submitted)) return 'auto-submitted';
  if (MASS.test(first('precedence') ?? '')) return 'precedence';
  if (first('x-loop') !== undefined) return 'loop';
  if (REPORT.test(first('content-type') ?? '')) return 'report';
  if (/^<\s*>$/u.test(first('return-path') ?? '')) return 'null_return_path';
  if (first('x-autoreply') !== undefined || first('x-autorespond') !== undefined) return 'auto-reply';
  return MACHINES.test(from) ? 'machine' : null;
};
