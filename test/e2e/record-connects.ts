/** Loaded before a program: writes every connection that it, or a Node process below it, opens to the file in RECORD_CONNECTS. */

import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const file = process.env['RECORD_CONNECTS'] ?? '';
type Connect = (this: Socket, ...args: readonly unknown[]) => Socket;
const original = Reflect.get(Socket.prototype, 'connect') as Connect;

const recorded: Connect = function (...args) {
  // The arguments come as they were given, or as one list that node:net has put in order.
  const [to, host] = args.flat(2) as unknown[];
  const target = typeof to === 'object' && to !== null ? to : { port: to, host };
  const port: unknown = Reflect.get(target, 'port');
  const name: unknown = Reflect.get(target, 'host') ?? 'localhost';
  if (port !== undefined) appendFileSync(file, `${String(name)}:${String(port)}\n`);
  return original.apply(this, [...args]);
};
Reflect.set(Socket.prototype, 'connect', recorded);
