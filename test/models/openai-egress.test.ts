import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../ops/clock.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';

/** Run in a process of its own: reports every address that a connection was opened to. */
const PROBE = `
  import net from 'node:net';
  const opened = [];
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...args) {
    const flat = args.flat()[0];
    opened.push(typeof flat === 'object' ? flat.host + ':' + flat.port : String(flat));
    return connect.apply(this, args);
  };
  const { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } = await import(process.argv[1]);
  const { systemClock } = await import(process.argv[2]);
  const logger = { debug() {}, info() {}, warn() {}, error() {}, with() { return logger; } };
  const provider = createOpenAIProvider({
    baseUrl: process.argv[3], apiKey: 'key', model: 'm', limits: DEFAULT_OPENAI_LIMITS, clock: systemClock, logger,
  });
  const turn = await provider.ask(
    { messages: [{ role: 'user', content: 'Hello?' }], tools: [] },
    { signal: new AbortController().signal },
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  console.log(JSON.stringify({ text: turn.text, opened }));
  process.exit(0);
`;

let simulator: ModelSimulator;
before(async () => {
  simulator = await createModelSimulator({ clock: systemClock });
});
after(() => simulator.close());

test('no environment makes the provider connect to anything but its endpoint, or print anything', async () => {
  simulator.push({ text: 'Hi.' });
  const path = (relative: string): string => new URL(relative, import.meta.url).href;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', PROBE, path('../../models/openai.ts'), path('../../ops/clock.ts'), simulator.url],
    {
      env: {
        PATH: process.env.PATH,
        LANGSMITH_TRACING: 'true',
        LANGCHAIN_TRACING_V2: 'true',
        LANGSMITH_API_KEY: 'trace-key',
        LANGSMITH_ENDPOINT: 'http://127.0.0.1:9',
        LANGSMITH_GATEWAY: 'http://127.0.0.1:9',
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
        OPENAI_API_KEY: 'other-key',
        OPENAI_ORG_ID: 'org',
        OPENAI_ORGANIZATION: 'org',
        OPENAI_LOG: 'debug',
      },
    },
  );
  const { text, opened } = JSON.parse(stdout) as { text: string; opened: string[] };
  assert.equal(text, 'Hi.');
  assert.deepEqual([...new Set(opened)], [new URL(simulator.url).host]);
  assert.equal(stderr, '');
  const headers = simulator.requests[0]?.headers;
  assert.equal(headers?.authorization, 'Bearer key');
  assert.equal(headers?.['openai-organization'], undefined);
});
