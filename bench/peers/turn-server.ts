/**
 * The workload of the turn comparison: a scripted model on loopback that takes three model calls and three tool calls for every
 * question. Prints its port, ends with its standard input.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly role: string;
}

let serial = 0;

const call = (name: string, args: Readonly<Record<string, string>>) => {
  serial += 1;
  return { id: `call_${serial}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
};

/** The step is told by the number of assistant messages since the question. */
const replyTo = (messages: readonly Message[]) => {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const steps = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  if (steps === 0) return { calls: [call('search', { query: 'refund policy' }), call('calc', { expression: '31-28' })] };
  if (steps === 1) return { calls: [call('search', { query: 'refund window' })] };
  return { text: 'The refund window is 30 days [1].' };
};

const stream = (response: ServerResponse, reply: ReturnType<typeof replyTo>, model: string): void => {
  serial += 1;
  const base = { id: `chatcmpl-${serial}`, object: 'chat.completion.chunk', created: 1, model };
  const send = (choices: readonly unknown[], rest: object = {}): void =>
    void response.write(`data: ${JSON.stringify({ ...base, choices, ...rest })}\n\n`);
  const delta = (part: object, finish: string | null = null): void => send([{ index: 0, delta: part, finish_reason: finish }]);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  delta({ role: 'assistant', content: reply.text === undefined ? null : '' });
  for (const [index, { id, function: made }] of (reply.calls ?? []).entries()) {
    delta({ tool_calls: [{ index, id, type: 'function', function: { name: made.name, arguments: '' } }] });
    for (const part of made.arguments.match(/.{1,8}/gu) ?? []) delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  for (const part of reply.text?.match(/.{1,6}/gu) ?? []) delta({ content: part });
  delta({}, reply.calls === undefined ? 'stop' : 'tool_calls');
  send([], { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
  response.end('data: [DONE]\n\n');
};

const sendWhole = (response: ServerResponse, { calls, text }: ReturnType<typeof replyTo>, model: string): void => {
  serial += 1;
  const message = {
    role: 'assistant',
    content: text ?? null,
    refusal: null,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message, finish_reason: calls === undefined ? 'stop' : 'tool_calls', logprobs: null };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ id: `chatcmpl-${serial}`, object: 'chat.completion', created: 1, model, usage, choices: [choice] }),
  );
};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    const request = JSON.parse(body) as { messages: Message[]; model: string; stream?: boolean };
    const reply = replyTo(request.messages);
    if (request.stream === true) stream(response, reply, request.model);
    else sendWhole(response, reply, request.model);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on('end', () => process.exit(0));
