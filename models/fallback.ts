/** One model and what answers without it: the shortest chain. */
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { ModelProvider } from '../agent/ports/model-provider.ts';
import { createProviderChain } from './chain.ts';

export const createFallbackProvider = (deps: {
  readonly primary: ModelProvider;
  readonly fallback: ModelProvider;
  readonly clock: Clock;
  readonly logger: Logger;
}): ModelProvider =>
  createProviderChain({ models: [deps.primary], lastResort: deps.fallback, clock: deps.clock, logger: deps.logger });
