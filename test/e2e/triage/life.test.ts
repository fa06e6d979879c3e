/** A ticket from its card to its end: one live card, its clock, who may do what, and what the asker is told. */
import assert from 'node:assert/strict';
import { numberOf, onBoth, until } from './scene.ts';

onBoth('a ticket is taken, put off, escalated, solved and opened again', async (scene) => {
  const spot = scene.post('My grinder makes a terrible noise');
  const id = numberOf(await scene.card(/terrible noise.*Assignee: nobody/s));
  const stranger = scene.newcomer('Hal');
  assert.match(await scene.pressAs(stranger, id, 'Take it'), /^This may be done by the members of/);

  await scene.press(id, 'Take it');
  await scene.card(new RegExp(`terrible noise.*Assignee: <@${scene.ben}>`, 's'));
  await scene.card(new RegExp(`terrible noise.*Assignee: <@${scene.ben}>`, 's'), spot);
  await scene.press(id, 'Priority …', 'urgent');
  await scene.card(/terrible noise.*Priority: urgent\n.*First answer: due \d{4}-/s);
  await scene.press(id, 'Snooze …', '60');
  await scene.card(/terrible noise.*Status: snoozed until \d{4}-/s);
  await scene.press(id, 'Escalate');
  await scene.card(/terrible noise.*Escalated \d{4}-/s);

  await scene.press(id, 'Solve');
  await scene.card(/terrible noise.*Status: solved/s);
  await until(() => scene.said(spot).some((text) => text.startsWith('This is marked as solved.')), 'a word to the asker');

  // Thanks leave it solved; anything else opens it again, without the wishes of before.
  scene.reply(spot, 'thank you!');
  scene.reply(spot, 'It makes the noise again.');
  const again = await scene.card(/terrible noise.*Reopened: episode 2\./s);
  assert.doesNotMatch(again, /Escalated|snoozed/);
  await scene.press(id, 'Close');
  await scene.card(/terrible noise.*Status: closed/s);
  assert.equal(scene.cards().filter((card) => card.includes('terrible noise')).length, 1, 'one card, edited');
});
