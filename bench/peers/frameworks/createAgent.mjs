import { createPeerWith } from './create-agent.mjs';

export const createPeer = (baseUrl, workload) => createPeerWith(baseUrl, workload, false);
