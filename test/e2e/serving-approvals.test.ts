/** A write through the whole product: configuration, plug-in, model, Slack, and who may decide by the configuration. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { openWorld, startAssistant, until } from './assembled.ts';
import { openSlackDesk } from './desks.ts';

const PLUGIN = join(import.meta.dirname, '../../examples/tools/plugin.ts');
const RESTART = { calls: [{ name: 'restart_service', arguments: '{"service":"checkout","reason":"its metrics are bad"}' }] };
const en = textsFor('en').approval;

test('the configuration lets the asker approve in a channel what only administrators could', async () => {
  await using world = await openWorld();
  const { slack, model } = world;
  const desk = openSlackDesk(slack);
  const person = desk.personId.replace('slack:', '');
  const yaml = `tools: { plugins: ['${PLUGIN}'] }\napprovals: { tools: { restart_service: [asker] } }\n`;
  await using assistant = await startAssistant(world, { yaml, channels: ['slack'] });
  model.push(RESTART, { text: 'It is restarted.' });
  const spot = desk.mention('Restart the checkout.');
  const card = await until(
    () => slack.messages(spot.channel, spot.thread).find(({ buttons }) => buttons.some(({ label }) => label === en.approve)),
    'the card',
  );
  assert.match(card.text, /Restarts the service checkout: its metrics are bad/);
  assert.deepEqual(card.pings, [`<@${person}>`]);
  await slack.click(spot.channel, card.ts, person, 'threadwise_approve');
  await until(() => desk.answers(spot)[0] === 'It is restarted.', 'the answer');
  const { messages } = model.requests.at(-1)?.body as { messages: readonly { content: unknown }[] };
  assert.match(String(messages.at(-1)?.content), /"restarted":true/);
  assert.ok(assistant.log.some(({ event }) => event === 'approval_decided'));
});
