import { readFileSync } from 'node:fs';
import { silentLogger } from '../../ops/silent-log.ts';
import { createTicketReader, type TicketReaderOptions } from '../../triage/read-ticket.ts';
import { readTaxonomy, type Taxonomy } from '../../triage/taxonomy.ts';
import { createFakeClock } from '../fake-clock.ts';

export const SAMPLE = new URL('../../examples/tickets/taxonomy.yaml', import.meta.url);
export const sampleTaxonomy = (): Taxonomy => readTaxonomy(readFileSync(SAMPLE, 'utf8'), 'taxonomy.yaml');

export const createReader = (options: Partial<TicketReaderOptions> = {}) =>
  createTicketReader({ taxonomy: sampleTaxonomy(), corrections: [], clock: createFakeClock(), logger: silentLogger, ...options });

export const never = (): AbortSignal => new AbortController().signal;
