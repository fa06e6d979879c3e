import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { Answer, InboundMessage } from '../../agent/conversation.ts';
import type { Gateway, OutboundPart } from '../../agent/ports/channel.ts';
import { createTerminalChannel, type TerminalChannel, type TerminalChannelOptions } from '../../bots/terminal.ts';
import { createFakeClock } from '../fake-clock.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

const answerOf = (text: string): Answer => ({
  text,
  citations: [
    {
      n: 1,
      title: 'Warranty',
      source: 'warranty.md',
      quote: 'two years',
      chunkId: 'c1',
      headingPath: [],
      location: '',
      date: null,
    },
  ],
  answered: true,
  stopReason: 'answered',
  allowedLinks: [],
  fallback: false,
});

interface Bench {
  readonly channel: TerminalChannel;
  readonly input: PassThrough;
  readonly accepted: InboundMessage[];
  cancels(): number;
  text(): string;
  /** Resolves once the output holds the text. */
  seen(text: string): Promise<void>;
}

/** A gateway that answers each question as `respond` says. */
const createBench = async (
  t: TestContext,
  respond: (channel: TerminalChannel, message: InboundMessage, turnId: string) => Promise<void>,
  options: Partial<TerminalChannelOptions> & { readonly isTTY?: boolean } = {},
): Promise<Bench> => {
  const input = Object.assign(new PassThrough(), { isTTY: options.isTTY ?? false, setRawMode() {} });
  const output = Object.assign(new PassThrough(), { isTTY: options.isTTY ?? false, columns: 80 });
  let text = '';
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const channel = createTerminalChannel({ input, output, clock: createFakeClock(), logger: silent, ...options });
  const accepted: InboundMessage[] = [];
  let cancels = 0;
  const gateway: Gateway = {
    accept: (message) => {
      accepted.push(message);
      setImmediate(() => void respond(channel, message, `turn${accepted.length}`));
      return Promise.resolve('accepted');
    },
    refusalFor: () => undefined,
    isSubscribed: () => Promise.resolve(true),
    editQuestion: () => Promise.resolve(),
    deleteQuestion: () => Promise.resolve(),
    cancel: () => {
      cancels += 1;
      return Promise.resolve(true);
    },
    stopTurn: () => Promise.resolve('over'),
    decideApproval: () => Promise.resolve('over'),
    readApproval: () => Promise.resolve(undefined),
    readTurn: () => Promise.resolve(undefined),
    recordFeedback: () => Promise.resolve(),
  };
  await channel.start(gateway);
  t.after(() => channel.close());
  const seen = async (part: string): Promise<void> => {
    for (let tries = 0; !text.includes(part); tries += 1) {
      assert.ok(tries < 400, `${JSON.stringify(part)} is not in ${JSON.stringify(text)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { channel, input, accepted, cancels: () => cancels, text: () => text, seen };
};

const answerWith =
  (text: string, partials: readonly string[] = []) =>
  async (channel: TerminalChannel, message: InboundMessage, turnId: string): Promise<void> => {
    const key = `${turnId}:0`;
    const ref = await channel.post(message.address, { text: 'Looking into it …', withFeedback: false }, key);
    for (const partial of partials) channel.progress(message.address, ref, partial, key);
    const [part] = channel.render(answerOf(text), turnId, 'en');
    assert.ok(part);
    await channel.update(message.address, ref, part, key);
  };

test('piped lines are each answered in order, without status or colour, and then it ends', async (t) => {
  const bench = await createBench(t, (channel, message, turnId) =>
    answerWith(`You said ${message.text} [1].`)(channel, message, turnId),
  );
  bench.input.end('first\n\nsecond\n');
  await bench.channel.ended;
  assert.equal(
    bench.text(),
    '\nYou said first [1].\n\nSources\n\n[1] Warranty — warranty.md\n\n\nYou said second [1].\n\nSources\n\n[1] Warranty — warranty.md\n\n',
  );
  assert.deepEqual(
    bench.accepted.map(({ text, place, trigger }) => [text, place.kind, trigger]),
    [
      ['first', 'local', 'typed'],
      ['second', 'local', 'typed'],
    ],
  );
});

test('a growing answer is printed once, piece by piece', async (t) => {
  const text = 'One **two** three four.\n\nFive six [1].';
  const partials = Array.from({ length: text.length }, (_, index) => text.slice(0, index + 1));
  const bench = await createBench(t, answerWith(text, partials));
  bench.input.end('q\n');
  await bench.channel.ended;
  assert.equal(bench.text(), '\nOne two three four.\n\nFive six [1].\n\nSources\n\n[1] Warranty — warranty.md\n\n');
});

test('a growing answer whose sources are numbered anew in the end is printed once', async (t) => {
  const growing = 'Two `x[7]` years [7][3]. Six of them [7].';
  const partials = Array.from({ length: growing.length }, (_, index) => growing.slice(0, index + 1));
  const bench = await createBench(t, answerWith('Two `x[7]` years [1][2]. Six of them [1].', partials));
  bench.input.end('q\n');
  await bench.channel.ended;
  assert.equal(bench.text().match(/years/g)?.length, 1, bench.text());
});

test('a growing answer that turns into another is followed by the whole other one', async (t) => {
  const bench = await createBench(t, answerWith('Rather this.', ['Let me look that up for you', 'Rath']));
  bench.input.end('q\n');
  await bench.channel.ended;
  assert.equal(bench.text(), '\nLet me look that up for\n\nRather this.\n\nSources\n\n[1] Warranty — warranty.md\n\n');
});

test('on a terminal there is a prompt, a status that gives way, and colour', async (t) => {
  const bench = await createBench(
    t,
    answerWith('**Two** years [1].', ['Searching the knowledge base …', '**Two** ye', '**Two** years [1]. ']),
    { isTTY: true },
  );
  bench.input.write('how long?\r');
  await bench.seen('warranty.md');
  assert.ok(
    bench
      .text()
      .includes(
        '\r\u001b[K\u001b[2mSearching the knowledge base …\u001b[22m\r\u001b[K\n\u001b[1mTwo\u001b[22m years \u001b[33m[1]\u001b[39m.',
      ),
  );
  bench.input.write('/sources\r');
  await bench.seen('│ \u001b[22mtwo years');
  bench.input.write('/help\r');
  await bench.seen('/quit');
  bench.input.write('/quit\r');
  await bench.channel.ended;
});

test('colours can be switched off', async (t) => {
  const bench = await createBench(t, answerWith('**Two** years.'), { isTTY: true, colour: false });
  bench.input.write('q\r');
  await bench.seen('Two years.');
  assert.equal(bench.text().includes('\u001b[1m'), false);
});

test('Ctrl-C stops the run first, then clears a typed line, then leaves at an empty prompt', async (t) => {
  const pending = Promise.withResolvers<void>();
  const bench = await createBench(
    t,
    async (channel, message, turnId) => {
      await channel.post(message.address, { text: 'Looking into it …', withFeedback: false }, `${turnId}:0`);
      await pending.promise;
      await answerWith('Stopped, as you asked.')(channel, message, turnId);
    },
    { isTTY: true },
  );
  bench.input.write('q\r');
  await bench.seen('Looking into it');
  bench.input.write('\u0003');
  for (let tries = 0; bench.cancels() === 0 && tries < 100; tries += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(bench.cancels(), 1);
  pending.resolve();
  await bench.seen('Stopped, as you asked.');
  await new Promise((resolve) => setTimeout(resolve, 20));
  bench.input.write('half a line\u0003');
  await new Promise((resolve) => setTimeout(resolve, 20));
  let hasEnded = false;
  void bench.channel.ended.then(() => {
    hasEnded = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(hasEnded, false);
  bench.input.write('\u0003');
  await bench.channel.ended;
  assert.equal(bench.accepted.length, 1);
});

test('a second Ctrl-C during a run leaves, and so does Ctrl-D at the prompt', async (t) => {
  const never = await createBench(t, () => new Promise(() => {}), { isTTY: true });
  never.input.write('q\r');
  await new Promise((resolve) => setTimeout(resolve, 30));
  never.input.write('\u0003');
  await new Promise((resolve) => setTimeout(resolve, 20));
  never.input.write('\u0003');
  await never.channel.ended;
  const idle = await createBench(t, () => Promise.resolve(), { isTTY: true });
  idle.input.write('\u0004');
  await idle.channel.ended;
});

test('typed lines are kept for the next start in a file that only the owner reads', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const historyPath = join(folder, 'state', 'history');
  const first = await createBench(t, answerWith('a'), { isTTY: true, historyPath });
  first.input.write('one\r');
  await first.seen('warranty.md');
  first.input.write('two\r');
  for (let tries = 0; first.accepted.length < 2 && tries < 100; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(readFileSync(historyPath, 'utf8'), 'one\ntwo\n');
  assert.equal(statSync(historyPath).mode & 0o777, 0o600);
  const second = await createBench(t, answerWith('a'), { isTTY: true, historyPath });
  second.input.write('\u001b[A\r');
  for (let tries = 0; second.accepted.length < 1 && tries < 100; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(second.accepted[0]?.text, 'two');
});

test('a question that cannot be stored is told so, and the next one is taken', async (t) => {
  const bench = await createBench(t, answerWith('fine'));
  const gateway: Gateway = {
    accept: () => Promise.reject(new Error('disk')),
    refusalFor: () => undefined,
    isSubscribed: () => Promise.resolve(true),
    editQuestion: () => Promise.resolve(),
    deleteQuestion: () => Promise.resolve(),
    cancel: () => Promise.resolve(false),
    stopTurn: () => Promise.resolve('over'),
    decideApproval: () => Promise.resolve('over'),
    readApproval: () => Promise.resolve(undefined),
    readTurn: () => Promise.resolve(undefined),
    recordFeedback: () => Promise.resolve(),
  };
  await bench.channel.start(gateway);
  bench.input.end('q\n');
  await bench.seen('Something went wrong on my side');
});

test('an answer that was under way before a restart is found only if this process posted it, and is introduced', async (t) => {
  const bench = await createBench(t, answerWith('x'));
  const address = { deliveryId: 'terminal:old:1' };
  assert.equal(await bench.channel.find(address, 'old:0'), undefined);
  await bench.channel.post(address, { text: 'Two years.', withFeedback: true }, 'old:0');
  assert.deepEqual(await bench.channel.find(address, 'old:0'), { key: 'old:0' });
  assert.equal(bench.text(), '\nAnswer to an earlier question:\n\nTwo years.\n\n');
});

test('a file of an answer is put where only its owner reads it, and the path is told', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const filesFolder = join(folder, 'files');
  const part: OutboundPart = {
    text: 'The rows.',
    withFeedback: false,
    file: { number: 0, name: '订单.csv', mediaType: 'text/csv', description: 'The rows.', language: 'en' },
  };
  const bench = await createBench(
    t,
    async (channel, message, turnId) => {
      await channel.post(message.address, part, `${turnId}:1`, Buffer.from('a\r\n'));
      await channel.post(message.address, part, `${turnId}:1`, Buffer.from('a\r\n'));
      await answerWith('Here.')(channel, message, turnId);
    },
    { filesFolder },
  );
  bench.input.end('rows?\n');
  await bench.channel.ended;
  const path = join(filesFolder, '订单-turn1-1.csv');
  assert.ok(bench.text().startsWith(`The rows.\nThe file is ${path}\n`));
  assert.deepEqual(
    [readFileSync(path, 'utf8'), statSync(path).mode & 0o777, statSync(filesFolder).mode & 0o777],
    ['a\r\n', 0o600, 0o700],
  );
});
