/** The SDK's log in ours. Its debug lines hold whole payloads and tokens, so they are dropped; the rest is cut. */
import { LogLevel, type Logger as SdkLogger } from '@slack/bolt';
import type { Logger } from '../../agent/ports/logger.ts';

export type BoltLogger = SdkLogger;

const MAX_LINE_CHARACTERS = 300;

const toLine = (parts: readonly unknown[]): string =>
  parts
    .map((part) => (part instanceof Error ? part.message : typeof part === 'string' ? part : ''))
    .join(' ')
    .trim()
    .slice(0, MAX_LINE_CHARACTERS);

export const createBoltLogger = (logger: Logger): BoltLogger => ({
  debug: () => undefined,
  info: (...parts) => logger.debug('slack_sdk', { line: toLine(parts) }),
  warn: (...parts) => logger.warn('slack_sdk', { line: toLine(parts) }),
  error: (...parts) => logger.error('slack_sdk', { line: toLine(parts) }),
  setLevel: () => undefined,
  getLevel: () => LogLevel.INFO,
  setName: () => undefined,
});
