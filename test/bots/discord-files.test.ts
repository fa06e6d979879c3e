import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { PERMISSION } from '../../simulator/discord/permissions.ts';
import { type Rig, withRig } from './discord-kit.ts';

const BYTES = Buffer.from('\ufeffa,b\r\n1,网关\r\n');
const PART: OutboundPart = {
  text: 'Rows of *orders*.',
  withFeedback: false,
  file: { number: 0, name: 'rows.csv', mediaType: 'text/csv', description: 'Rows of *orders*.', language: 'en' },
};
const TEXT: OutboundPart = { text: 'The answer.', withFeedback: true };

const addressOf = async ({ sim, accepted }: Rig, ask: () => unknown) => {
  ask();
  const [message] = await accepted(1);
  return { sim, address: message?.address ?? assert.fail() };
};

const filesIn = (sim: Rig['sim'], channel: string) =>
  sim
    .messages(channel)
    .flatMap(({ files, text }) =>
      files.map(({ filename, description, bytes }) => ({ filename, description, text, bytes: bytes.toString() })),
    );

const ROWS = {
  filename: 'rows.csv',
  description: 'Rows of *orders*.',
  text: 'Rows of \\*orders\\*.',
  bytes: BYTES.toString(),
};

const inThread = (rig: Rig) => addressOf(rig, () => rig.sim.mention(rig.sim.general, rig.sim.ada, 'Why?'));

describe('a file in Discord', () => {
  it('stands in the thread of the answer with its words and its bytes, once however often it is sent', async () => {
    await withRig({}, async (rig) => {
      const { sim, address } = await inThread(rig);
      await rig.channel.post(address, TEXT, 't1:0');
      const ref = await rig.channel.post(address, PART, 't1:1', BYTES);
      assert.deepEqual(await rig.channel.post(address, PART, 't1:1', BYTES), ref);
      const thread = address['message'] ?? '';
      assert.equal(ref['channel'], thread);
      assert.deepEqual(filesIn(sim, thread), [ROWS]);
      assert.deepEqual(sim.violations, []);
    });
  });

  it('is found after a restart by its place among the messages of the answer', async () => {
    await withRig({}, async (rig) => {
      const { sim, address } = await inThread(rig);
      await rig.channel.post(address, TEXT, 't1:0');
      const ref = await rig.channel.post(address, PART, 't1:1', BYTES);
      await rig.channel.close();
      await withRig({ sim }, async (after) => {
        assert.deepEqual(await after.channel.find(address, 't1:1'), ref);
        assert.equal(await after.channel.find(address, 't1:2'), undefined);
      });
    });
  });

  it('goes with the answer to a command, in the channel below it', async () => {
    await withRig({}, async (rig) => {
      const { sim, address } = await addressOf(rig, () =>
        rig.sim.slash(rig.sim.general, rig.sim.ada, 'ask', { question: 'Why?' }),
      );
      const first = await rig.channel.post(address, TEXT, 't1:0');
      const ref = await rig.channel.post(address, PART, 't1:1', BYTES);
      assert.deepEqual(filesIn(sim, sim.general), [ROWS]);
      assert.equal(sim.messages(sim.general).at(-1)?.replyTo, first['message']);
      assert.deepEqual(await rig.channel.find(address, 't1:1'), ref);
    });
  });

  it('goes with the answer to a command where the bot may not write, by the command’s own token', async () => {
    await withRig({}, async (rig) => {
      const { sim, address } = await addressOf(rig, () =>
        rig.sim.slash(rig.sim.general, rig.sim.ada, 'ask', { question: 'Why?' }),
      );
      await rig.channel.post(address, TEXT, 't1:0');
      sim.deny(sim.general, PERMISSION.sendMessages | PERMISSION.attachFiles);
      await rig.channel.post(address, PART, 't1:1', BYTES);
      assert.deepEqual(filesIn(sim, sim.general), [ROWS]);
    });
  });

  it('stands in a direct message as a reply to the question', async () => {
    await withRig({}, async (rig) => {
      const dm = rig.sim.openDm(rig.sim.ada);
      const { sim, address } = await addressOf(rig, () => rig.sim.say(dm, rig.sim.ada, 'Why?'));
      await rig.channel.post(address, PART, 't1:0', BYTES);
      assert.deepEqual(filesIn(sim, dm), [ROWS]);
    });
  });

  it('is refused for good without the permission, and nothing is posted elsewhere', async () => {
    await withRig({}, async (rig) => {
      const { sim, address } = await inThread(rig);
      await rig.channel.post(address, TEXT, 't1:0');
      sim.deny(sim.general, PERMISSION.attachFiles);
      await assert.rejects(rig.channel.post(address, PART, 't1:1', BYTES), (error) => hasCode(error, 'channel_no_files'));
      assert.deepEqual(
        [sim.general, address['message'] ?? ''].flatMap((channel) => filesIn(sim, channel)),
        [],
      );
    });
  });
});
