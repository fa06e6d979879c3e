import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Attachment, MAX_FILE_BYTES } from '../../agent/attachment.ts';
import { AppError } from '../../agent/errors.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { CANCELLED } from '../../agent/run.ts';
import { callTurn, createMemoryJournal, createScriptedModel, turnOf } from './fakes.ts';
import { lastTool, setUp, toolOf } from './harness.ts';

const FINE = turnOf({ text: 'Fine.' });

const csv = (name: string, parts: Partial<Attachment> = {}): Attachment => ({
  name,
  mediaType: 'text/csv',
  description: `The rows of ${name}.`,
  bytes: new TextEncoder().encode('a,b\r\n'),
  ...parts,
});

/** Attaches what its argument names. */
const filing = (make: (name: string) => Attachment = csv, parts: Partial<Tool> = {}): Tool =>
  toolOf(
    'file',
    async (args, { attach }) => {
      for (const name of (args as { names: string[] }).names) attach?.(make(name));
      return 'filed';
    },
    parts,
  );

const call = (...names: string[]) => callTurn('file', { names });
const namesOf = ({ files }: { readonly files: readonly Attachment[] }) => files.map(({ name }) => name);

describe('the files of a run', () => {
  test('are those of its calls, in the order of the calls, as they were when they were attached', async () => {
    const bytes = Uint8Array.of(1, 2);
    const slowFirst = toolOf('slow', async (_, { attach }) => {
      await new Promise((resolve) => setImmediate(resolve));
      attach?.(csv('first.csv'));
      return 'filed';
    });
    const quick = toolOf('file', async (_, { attach }) => {
      attach?.(csv('second.csv', { bytes }));
      bytes.fill(9);
      return 'filed';
    });
    const both = turnOf({ toolCalls: [...callTurn('slow', {}).toolCalls, ...call().toolCalls] });
    const result = await setUp(createScriptedModel(both, FINE), { tools: [slowFirst, quick] }).run();
    assert.deepEqual(namesOf(result), ['first.csv', 'second.csv']);
    assert.deepEqual(result.files[1]?.bytes, Uint8Array.of(1, 2));
  });

  test('are at most five, whoever attached them, and the call that wanted more attached nothing', async () => {
    const model = createScriptedModel(call('1.csv', '2.csv', '3.csv', '4.csv'), call('5.csv', '6.csv'), call('7.csv'), FINE);
    const result = await setUp(model, { tools: [filing()] }).run();
    assert.deepEqual(namesOf(result), ['1.csv', '2.csv', '3.csv', '4.csv', '7.csv']);
    assert.deepEqual(lastTool(model, 2), {
      ok: false,
      kind: 'too_large',
      retryable: false,
      did_it_happen: 'no',
      advice: 'An answer may have 5 files, and has them. Answer with these.',
    });
  });

  for (const [what, make, message] of [
    ['too many bytes', () => csv('a.csv', { bytes: new Uint8Array(MAX_FILE_BYTES + 1) }), /1048576 bytes, this one has 1048577/],
    ['a path for a name', () => csv('../a.csv'), /letters, digits/],
    ['two endings', () => csv('a.exe.csv'), /letters, digits/],
    ['the ending of another kind', () => csv('a.png'), /ending \.csv, got "a\.png"/],
    ['no description', () => csv('a.csv', { description: ' ' }), /description of 1 to 1000 characters/],
    ['a picture that is none', () => csv('a.png', { mediaType: 'image/png' }), /begins as a PNG does/],
    ['another kind', () => csv('a.csv', { mediaType: 'text/html' as 'text/csv' }), /expected text\/csv or image\/png/],
  ] as const) {
    test(`never have ${what}`, async () => {
      let caught: unknown;
      const tool = toolOf('file', async (_, { attach }) => {
        try {
          attach?.(make());
        } catch (error) {
          caught = error;
        }
        return 'went on';
      });
      const result = await setUp(createScriptedModel(call(), FINE), { tools: [tool] }).run();
      assert.ok(caught instanceof AppError && /^tool_(failed|too_large)$/.test(caught.code));
      assert.match(caught.message, message);
      assert.deepEqual(result.files, []);
    });
  }

  test('are not those of a try that failed, of a call that timed out, or of one that was given up', async () => {
    let tries = 0;
    const flaky = toolOf('file', async (_, { attach }) => {
      tries += 1;
      attach?.(csv(`try-${tries}.csv`));
      if (tries === 1) throw Object.assign(new Error('broken'), { code: 'ECONNRESET' });
      return 'filed';
    });
    const late = Promise.withResolvers<unknown>();
    const hanging = toolOf(
      'hang',
      async (_, { attach, signal }) => {
        attach?.(csv('early.csv'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await new Promise((resolve) => setImmediate(resolve));
        try {
          attach?.(csv('late.csv'));
        } catch (error) {
          late.resolve(error);
        }
        return 'too late';
      },
      { effect: 'write' },
    );
    const model = createScriptedModel(call(), callTurn('hang', {}), FINE);
    const result = await setUp(model, { tools: [flaky, hanging] }).run();
    assert.deepEqual(namesOf(result), ['try-2.csv']);
    assert.match(String(await late.promise), /before the call ended/);
  });

  test('stay with the journaled result: a run that is taken up again has them and attaches nothing twice', async () => {
    const journal = createMemoryJournal();
    const stop = new AbortController();
    const first = createScriptedModel(call('1.csv', '2.csv', '3.csv', '4.csv'), async () => {
      stop.abort(new Error('the process stops'));
      return FINE;
    });
    await assert.rejects(setUp(first, { tools: [filing()], input: { journal, signal: stop.signal } }).run(), /process stops/);
    const second = createScriptedModel(call('5.csv', '6.csv'), call('7.csv'), FINE);
    const result = await setUp(second, { tools: [filing()], input: { journal } }).run();
    assert.deepEqual(namesOf(result), ['1.csv', '2.csv', '3.csv', '4.csv', '7.csv']);
    assert.deepEqual(result.files[0], { ...csv('1.csv'), bytes: result.files[0]?.bytes });
    assert.deepEqual([...(result.files[0]?.bytes ?? [])], [...csv('1.csv').bytes]);
  });

  test('do not go with an answer that says nothing of what was found', async () => {
    const cancel = new AbortController();
    const model = createScriptedModel(call('1.csv'), async () => {
      cancel.abort(CANCELLED);
      return FINE;
    });
    const stopped = await setUp(model, { tools: [filing()], input: { signal: cancel.signal } }).run();
    assert.deepEqual([stopped.answer.stopReason, stopped.files], ['cancelled', []]);
    const refusing = createScriptedModel(call('1.csv'), turnOf({ text: 'No.', finishReason: 'refusal' }));
    const refused = await setUp(refusing, { tools: [filing()] }).run();
    assert.deepEqual([refused.answer.stopReason, refused.files], ['model_refused', []]);
  });
});
