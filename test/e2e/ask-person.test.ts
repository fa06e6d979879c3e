/** “Ask a person” under an answer, in the whole product on both platforms: one ticket for the thread, and a word to the asker. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Assistant, openWorld, pause, startAssistant, until, type World } from './assembled.ts';

const QUESTION = 'How long is the warranty?';

describe('“Ask a person” under an answer', () => {
  let world: World;
  let assistant: Assistant;
  let room: string;
  let desk: string;
  let asker: string;
  let other: string;
  let team: string;
  let general: string;
  let ada: string;
  let ben: string;
  before(async () => {
    world = await openWorld();
    const { slack, discord } = world;
    world.model.setPolicy(() => ({ text: 'Two years for every lamp.' }));
    asker = slack.addUser({ displayName: 'Ada' }).id;
    other = slack.addUser({ displayName: 'Ben' }).id;
    room = slack.addChannel({ name: 'help', members: [slack.botUserId, asker, other] }).id;
    desk = slack.addChannel({ name: 'desk', members: [slack.botUserId] }).id;
    const guild = discord.addGuild('Lamps');
    [ada, ben] = [discord.addUser('Ada'), discord.addUser('Ben')];
    general = discord.addChannel(guild, 'general');
    team = discord.addChannel(guild, 'team');
    assistant = await startAssistant(world, {
      yaml: `triage: { burstSeconds: 0, teams: { support: { channel: 'slack:${desk}' }, live: { channel: 'discord:${team}' } }, defaultTeam: support }\n`,
    });
  });
  after(async () => {
    await assistant[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  const tickets = () => assistant.serving.core.tickets.listTickets({});

  it('in Slack makes one ticket, confirmed in the thread and to whoever clicked', async () => {
    const { slack } = world;
    const ts = slack.say(room, asker, `<@${slack.botUserId}> ${QUESTION}`);
    const answer = await until(
      () => slack.messages(room, ts).find(({ buttons }) => buttons.some(({ label }) => label === '🙋 Ask a person')),
      'the button',
    );
    await slack.click(room, answer.ts, asker, 'threadwise_person');
    await slack.click(room, answer.ts, other, 'threadwise_person');
    const whispers = (userId: string) =>
      slack.visible(room, userId, ts).flatMap(({ onlyFor, text }) => (onlyFor === userId ? [text] : []));
    assert.deepEqual(whispers(asker), ['Passed on to a person as T1. The answer comes here.']);
    assert.deepEqual(whispers(other), ['A person has it already: T1. The answer comes here.']);
    await until(
      () => slack.messages(room, ts).some(({ text }) => text.startsWith('I have passed this on to')),
      'the word in the thread',
    );
    await until(() => slack.messages(desk).some(({ text }) => text.includes(`T1 · ${QUESTION}`)), 'the card of the team');
    const [ticket, ...more] = await tickets();
    assert.deepEqual(more, []);
    assert.deepEqual([ticket?.text, ticket?.author.id, ticket?.isPrivate], [QUESTION, `slack:${asker}`, false]);
    const events = await assistant.serving.core.tickets.readEvents('T1');
    const said = events.flatMap(({ change }) => (change.kind === 'message_added' ? [change.message.text] : []));
    assert.match(said.join(), /^Two years for every lamp\./);
  });

  it('in Discord does the same, also under the answer to a command, whose replies belong to the ticket', async () => {
    const { discord } = world;
    discord.slash(general, ada, 'ask', { question: QUESTION });
    const answer = await until(
      () => discord.messages(general).find(({ buttons }) => buttons.some(({ label }) => label === '🙋 Ask a person')),
      'the button',
    );
    const click = async (userId: string): Promise<string> => {
      const before = new Set(discord.messages(general, userId).map(({ id }) => id));
      discord.click(general, answer.id, userId, 'Ask a person');
      return until(
        () =>
          discord
            .messages(general, userId)
            .find(({ id, isEphemeral, isThinking }) => isEphemeral && !isThinking && !before.has(id))?.text,
        'an answer to the click',
      );
    };
    assert.equal(await click(ada), 'Passed on to a person as T2. The answer comes here.');
    assert.equal(await click(ben), 'A person has it already: T2. The answer comes here.');
    const note = await until(
      () => discord.messages(general).find(({ text }) => text.startsWith('I have passed this on to')),
      'the word in the channel',
    );
    assert.equal(note.replyTo, answer.id);
    const [ticket, ...more] = await tickets();
    assert.deepEqual([more.length, ticket?.text, ticket?.author.id], [1, QUESTION, `discord:${ada}`]);
    const heard = ticket?.messageCount ?? 0;
    discord.say(general, ada, 'It is the small lamp.', { replyTo: answer.id });
    discord.say(general, ada, 'It is blue.', { replyTo: note.id });
    const isHeard = async () => ((await assistant.serving.core.tickets.readTicket('T2'))?.messageCount ?? 0) >= heard + 2;
    for (let tries = 0; !(await isHeard()); tries += 1) {
      assert.ok(tries < 500, 'both replies belong to the ticket');
      await pause(10);
    }
  });
});
