/** Loaded first by a process that must reach nothing: every way to a connection in Node goes through this method. */

import { Socket } from 'node:net';

Socket.prototype.connect = () => {
  throw new Error('This process has no network.');
};
