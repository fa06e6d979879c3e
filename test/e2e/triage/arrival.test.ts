/** From a message to a ticket: whichever way it comes, it is one for its thread. */
import assert from 'node:assert/strict';
import { numberOf, onBoth, until } from './scene.ts';

onBoth('a message becomes a ticket, and one ticket, whichever way it comes', async (scene) => {
  // An emoji under it, by whoever wants it to be one; twice; and the entry in its menu.
  const spot = scene.say('The lid of my kettle was broken when it came');
  scene.emoji(spot);
  const first = numberOf(await scene.card(/The lid of my kettle/));
  scene.emoji(spot, scene.ada);
  await scene.menu(spot);
  // It has a card in its thread as well, and what is said there belongs to it.
  assert.equal(numberOf(await scene.card(/The lid of my kettle/, spot)), first);
  scene.reply(spot, 'The parcel was dry.');

  // A command; a channel in which each message is one, thanks excepted.
  await scene.command('Somebody charged my card twice');
  await scene.card(/Somebody charged my card twice/);
  scene.post('I cannot get into my account');
  await scene.card(/I cannot get into my account/);
  scene.post('thanks!');

  // Who asks for a person gets a ticket, and is always told.
  const wish = scene.mention('Can I talk to a human please?');
  await scene.card(/Can I talk to a human/);
  await until(() => scene.said(wish).some((text) => text.startsWith('I have passed this on to')), 'the confirmation');

  // That of a direct message is private: no channel has its card, and the team is told that it waits.
  const direct = scene.direct('I would like to speak to a human please');
  await until(() => scene.said(direct).some((text) => text.startsWith('I have told ')), 'the confirmation');

  const words = /The lid of|Somebody charged|I cannot get into|Can I talk|thanks|I would like/;
  const cards = scene.cards().flatMap((card) => words.exec(card)?.[0] ?? []);
  assert.deepEqual(cards, ['The lid of', 'Somebody charged', 'I cannot get into', 'Can I talk']);
});
