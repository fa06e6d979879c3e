import type { Logger } from '../agent/ports/logger.ts';

/** For what is done beside the product's work and tells nobody anything. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLogger,
};
