/** The same without the accounts of a day: what those cost is the difference. */
import type { CreatePeer } from './measure.ts';
import { createPeerWith } from './threadwise.ts';

export const createPeer: CreatePeer = (baseUrl) => createPeerWith(baseUrl, { dayBudgets: false });
