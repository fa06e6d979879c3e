/** Where a ticket goes, and why, is said on its card. */
import assert from 'node:assert/strict';
import { onBoth, until } from './scene.ts';

onBoth('a rule on the fields of a ticket sends it to its team, and sets what it says', async (scene) => {
  scene.post('Smoke came out of the kettle when I switched it on, the plug is black');
  await until(() => scene.leadCards().some((card) => card.includes('Smoke came out')), 'the card at the other team');
  const [card = ''] = scene.leadCards();
  assert.match(card, new RegExp(`Priority: urgent.*Team: lead_${scene.platform}\n`, 's'));
  assert.match(card, /The rule “what is dangerous” holds\./);
  assert.ok(!scene.cards().some((one) => one.includes('Smoke came out')), 'one team has it');

  scene.post('The voucher code was not taken off the price');
  const other = await scene.card(/The voucher code/);
  assert.match(other, new RegExp(`Team: team_${scene.platform}\n.*The rule “all else” holds[.]`, 's'));
});
