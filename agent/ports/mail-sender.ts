/** A mail in plain text to one person. */
export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** With its angle brackets, as are those below: the same for the same mail, so that a copy can be known as one. */
  readonly messageId: string;
  readonly inReplyTo: string | null;
  /** Oldest first. */
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Hands one mail to a mail server. Resolves when that took it. Throws `AppError('channel_rejected')` when the server refused it for
 * good, `AppError('channel_unavailable')` with `retryAfterMs` when it is known not to have taken it, and without when nobody knows.
 */
export type SendMail = (mail: OutgoingMail) => Promise<void>;
