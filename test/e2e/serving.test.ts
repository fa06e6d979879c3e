import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { answerFromPassages, type ModelPolicy } from '../../simulator/model-policy.ts';
import { type Assistant, openWorld, pause, startAssistant, until, type World } from './assembled.ts';
import { type Desk, openDiscordDesk, openSlackDesk, type Spot } from './desks.ts';

const en = textsFor('en');
const STATES: ReadonlySet<string> = new Set([en.placeholder, en.queued, en.searching, en.writing]);
const CODE = Array.from({ length: 700 }, (_, n) => `const lamp${n} = ${n};`);
const LONG = `First the code.\n\n\`\`\`js\n${CODE.join('\n')}\n\`\`\`\n\nThat was all of it.`;
const HOSTILE =
  'Hello @everyone @here <!channel> <@U0SIMBOT1>, see [this](https://evil.example/a) or https://evil.example/b now.';
const SLOW_MS = 1_500;

const questionOf = ({ messages }: Parameters<ModelPolicy>[0]): string =>
  String(messages.findLast(({ role }) => role === 'user')?.content ?? '');

const createPolicy = (): ModelPolicy => {
  let cuts = 0;
  return (request) => {
    const question = questionOf(request);
    if (question.includes('at length')) return { text: LONG };
    if (question.includes('shout')) return { text: HOSTILE };
    if (question.includes('for ever')) return { fault: { kind: 'no_answer' } };
    if (question.includes('slowly')) return { text: 'Slowly done.', delayMs: SLOW_MS };
    if (question.includes('brittle') && (cuts += 1) % 2 === 1)
      return { text: 'A half answer that breaks off somewhere.', fault: { kind: 'cut', afterChunks: 3 } };
    if (question.includes('brittle')) return { text: 'A whole answer.' };
    return answerFromPassages(request);
  };
};

const final = (desk: Desk, spot: Spot, count = 1): Promise<readonly string[]> =>
  until(
    () => {
      const texts = desk.answers(spot);
      return texts.length >= count && texts.every((text) => !STATES.has(text)) ? texts : undefined;
    },
    `${count} answers on ${desk.name}, where now stands ${JSON.stringify(desk.answers(spot))}`,
  );

const isIdle = async ({ serving }: Assistant): Promise<boolean> => {
  const { waiting, running, answered } = await serving.core.store.countStates();
  return waiting + running + answered === 0;
};
const untilIdle = async (assistant: Assistant): Promise<void> => {
  for (let tries = 0; !(await isIdle(assistant)); tries += 1) {
    assert.ok(tries < 1_000, 'it is still at work');
    await pause(10);
  }
};

describe('the assembled assistant', () => {
  let world: World;
  let assistant: Assistant;
  let desks: Readonly<Record<'slack' | 'discord', Desk>>;
  before(async () => {
    world = await openWorld();
    world.model.setPolicy(createPolicy());
    desks = { slack: openSlackDesk(world.slack), discord: openDiscordDesk(world.discord) };
    const listed = `audiences: { finance: { people: [${desks.slack.personId}, "${desks.discord.personId}"] } }`;
    assistant = await startAssistant(world, { yaml: listed, env: { THREADWISE_KNOWLEDGE_WATCH: 'true' } });
    const finance = join(world.folder, 'finance');
    writeFileSync(`${finance}.md`, '# Bonus pool\n\nThe bonus pool of the sales team is 84,000 EUR in 2026.\n');
    await assistant.serving.core.sync.syncPaths([`${finance}.md`], { label: 'finance' });
  });
  after(async () => {
    assert.deepEqual(world.model.violations, []);
    assert.deepEqual(world.discord.violations, []);
    await assistant[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  for (const name of ['slack', 'discord'] as const) {
    describe(`on ${name}`, () => {
      it('answers a mention in its thread with the source, and a follow-up there without a mention', async () => {
        const desk = desks[name];
        const spot = desk.mention('How long is the warranty for dealers?');
        const [first = ''] = await final(desk, spot);
        assert.match(first, /12 months from the invoice date/);
        assert.match(first, /Warranty/);
        assert.match(first, /warranty\.md/);
        desk.say(spot, 'How long is the warranty for customers?');
        const texts = await final(desk, spot, 2);
        assert.equal(texts.length, 2);
        assert.match(texts[1] ?? '', /24 months from the date of delivery/);
        assert.deepEqual(desk.outside(), []);
      });

      it('answers a direct message and a command where they were given', async () => {
        const desk = desks[name];
        const direct = desk.direct('How long is the warranty for dealers?');
        assert.match((await final(desk, direct)).join(), /12 months/);
        const asked = await desk.command('Within how many days can I return a product?');
        const texts = await final(desk, asked);
        assert.equal(texts.length, 1);
        assert.match(texts[0] ?? '', /30 days/);
      });

      it('answers a question that was edited while it waited as it was edited', async () => {
        const desk = desks[name];
        const spot = desk.mention('Tell me something slowly.');
        await until(() => desk.answers(spot).length > 0, 'a sign of the first');
        const waiting = desk.say(spot, 'How long is the warranty for customers?');
        await pause(200);
        desk.edit(waiting, 'How long is the warranty for dealers?');
        const texts = await final(desk, spot, 2);
        assert.equal(texts[0], 'Slowly done.');
        assert.match(texts[1] ?? '', /12 months/);
        assert.equal(texts.length, 2);
      });

      it('cancels the run of a question that is deleted', async () => {
        const desk = desks[name];
        const spot = desk.mention('Tell me something for ever.');
        await until(() => desk.answers(spot).length > 0, 'a sign of the run');
        desk.remove(spot);
        await untilIdle(assistant);
        assert.ok(desk.answers(spot).every((text) => text === en.cancelled));
      });

      it('stops a run when its asker says so', async () => {
        const desk = desks[name];
        const spot = desk.mention('Tell me something for ever.');
        await until(() => desk.answers(spot).length > 0, 'a sign of the run');
        desk.say(spot, 'stop');
        assert.deepEqual(await final(desk, spot), [en.cancelled]);
        await untilIdle(assistant);
        assert.deepEqual(desk.answers(spot), [en.cancelled]);
      });

      it('keeps a verdict with its reason', async () => {
        const desk = desks[name];
        const spot = desk.mention('How long is the warranty for dealers?');
        await final(desk, spot);
        await untilIdle(assistant);
        const turnId = await desk.complain(spot, 'It is out of date.');
        const { store } = assistant.serving.core;
        for (let tries = 0; tries < 300 && (await store.listFeedback(turnId)).at(-1)?.reason !== 'It is out of date.'; tries += 1)
          await pause(10);
        const [feedback, ...more] = await store.listFeedback(turnId);
        assert.deepEqual([feedback?.verdict, feedback?.reason, more.length], ['down', 'It is out of date.', 0]);
      });

      it('splits a long answer within the limits, with every fence closed', async () => {
        const desk = desks[name];
        const spot = desk.mention('Answer me at length.');
        await until(() => desk.answers(spot).at(-1)?.includes('That was all of it.'), 'the end of the answer');
        await untilIdle(assistant);
        const texts = desk.answers(spot);
        assert.ok(texts.length > 1);
        for (const text of texts) assert.equal((text.match(/```/g) ?? []).length % 2, 0, text);
        assert.deepEqual(texts.join('\n').match(/const lamp\d+ = \d+;/g), CODE);
        if (name === 'discord') for (const text of texts) assert.ok(text.length <= 2_000);
        else
          for (const { blocks } of world.slack.workspace.list(spot.channel, spot.thread))
            for (const block of blocks)
              assert.ok(String((block['text'] as { text?: unknown } | undefined)?.text ?? '').length <= 3_000);
      });

      it('notifies nobody and links nothing that a model made up', async () => {
        const desk = desks[name];
        const spot = desk.mention('Please shout.');
        await final(desk, spot);
        await untilIdle(assistant);
        assert.deepEqual(desk.pings(), []);
        const sent = JSON.stringify(
          name === 'slack'
            ? world.slack.calls.filter(({ method }) => method.startsWith('chat.')).map(({ args }) => args)
            : world.discord.requests.filter(({ method }) => method === 'POST' || method === 'PATCH').map(({ body }) => body),
        );
        assert.ok(sent.includes('Hello'));
        assert.doesNotMatch(sent, /https?:\/\/evil|<!channel>|<!here>|<!everyone>|<@U0SIMBOT1>|@everyone|@here/);
      });

      it('shows a whole answer although the stream broke off at first', async () => {
        const desk = desks[name];
        const spot = desk.mention('Say something brittle.');
        await until(() => desk.answers(spot).includes('A whole answer.'), 'the whole answer');
        await untilIdle(assistant);
        assert.deepEqual(desk.answers(spot), ['A whole answer.']);
      });

      it('quotes what has an audience to those who are in it alone', async () => {
        const desk = desks[name];
        const spot = desk.mention('How large is the bonus pool of the sales team?');
        assert.doesNotMatch((await final(desk, spot)).join(), /84,000/);
        const direct = desk.direct('How large is the bonus pool of the sales team?');
        assert.match((await final(desk, direct)).join(), /84,000 EUR/);
        const other = name === 'slack' ? world.slack.addUser({ displayName: 'Ben' }).id : world.discord.addUser('Ben');
        const stranger = desk.direct('How large is the bonus pool of the sales team?', other);
        assert.doesNotMatch((await final(desk, stranger)).join(), /84,000/);
      });
    });
  }

  it('writes to the disk once for many questions after its state', async () => {
    const { serving } = assistant;
    const writes: unknown[] = [];
    const readSetting = () => serving.core.store.readSetting('readiness', 'checked');
    for (let question = 0; question < 20; question += 1) {
      await serving.readiness();
      writes.push(JSON.stringify(await readSetting()));
    }
    assert.ok(new Set(writes).size <= 2, [...new Set(writes)].join(', '));
  });

  it('refuses guests and people of other organisations once, and bots never a word', async () => {
    const { slack, discord } = world;
    const room = slack.addChannel({ name: 'shared', members: [slack.botUserId] }).id;
    const said = () =>
      slack.messages(room).flatMap(({ isBot, text, author }) => (isBot && author !== 'U0OTHERBOT' ? [text] : []));
    const guest = slack.addUser({ displayName: 'Guest', isRestricted: true }).id;
    const external = slack.addUser({ displayName: 'External', isStranger: true, teamId: 'T0OTHER01' }).id;
    for (const [index, person] of [guest, external].entries()) {
      slack.mention(room, person, 'How long is the warranty?');
      await until(() => said().filter((text) => text === en.guestsRefused).length === index + 1, 'the refusal');
      slack.mention(room, person, 'How long is the warranty?');
    }
    slack.sayAsBot(room, `<@${slack.botUserId}> How long is the warranty?`);
    const { outside } = desks.discord;
    const before = outside().length;
    const bot = discord.addUser('Relay', { bot: true });
    const general = [...discord.world().channels.values()].find(({ name }) => name === 'general')?.id ?? '';
    const thread = discord.mention(general, bot, 'How long is the warranty?');
    await slack.settle();
    await pause(300);
    await untilIdle(assistant);
    assert.deepEqual(said(), [en.guestsRefused, en.guestsRefused]);
    assert.equal(outside().length, before);
    assert.equal(discord.world().channels.has(thread), false);
  });

  it('no longer quotes a document that was deleted while it serves', async () => {
    const path = join(world.documents, 'parrot.md');
    writeFileSync(path, '# Parrot\n\nThe parrot in the lobby is called Quillfeather.\n');
    const { knowledge } = assistant.serving.core;
    const hasParrot = async () => (await knowledge.listDocuments()).some(({ source }) => source.endsWith('parrot.md'));
    const settle = async (wanted: boolean): Promise<void> => {
      for (let tries = 0; (await hasParrot()) !== wanted; tries += 1) {
        assert.ok(tries < 500, `the document did not ${wanted ? 'come' : 'go'}`);
        await pause(20);
      }
    };
    await settle(true);
    const desk = desks.slack;
    assert.match((await final(desk, desk.mention('What is the parrot in the lobby called?'))).join(), /Quillfeather/);
    rmSync(path);
    await settle(false);
    assert.doesNotMatch((await final(desk, desk.mention('What is the parrot in the lobby called?'))).join(), /Quillfeather/);
  });
});
