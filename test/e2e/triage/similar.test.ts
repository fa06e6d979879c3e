/** Tickets that are alike: shown beside each other, merged and taken out by a click; a burst of them is one incident. */
import assert from 'node:assert/strict';
import { numberOf, onBoth, until } from './scene.ts';

onBoth('a ticket that was sent twice is proposed as the same, with reasons', async (scene) => {
  const order = scene.platform === 'slack' ? 'LF-208831' : 'LF-301177';
  const what = scene.platform === 'slack' ? 'lid of my Wren scale' : 'knob under our new toaster';
  scene.post(`The ${what} ${order} is loose`);
  const first = numberOf(await scene.card(new RegExp(`The ${what} ${order} is loose`)));
  scene.post(`Still: the ${what} ${order} is loose`);
  const second = await scene.card(/Still: the .*Perhaps the same as/s);
  assert.match(second, new RegExp(`Perhaps the same as ${first} \\(open\\): same author, both name ${order}`));
  await scene.press(numberOf(second), `Same as ${first}`);
  await scene.card(new RegExp(`Still: the .*Status: merged.*Goes on in ${first}\\.`, 's'));
  await scene.press(numberOf(second), 'Take out again');
  await scene.card(/Still: the .*Status: open/s);
});

onBoth('a burst of alike tickets is one incident, and one word reaches all of them', async (scene) => {
  const people = ['Cara', 'Dan', 'Eva', 'Finn'].map((name) => scene.newcomer(name));
  const what =
    scene.platform === 'slack'
      ? 'The firmware update of the app stops with error E-41'
      : 'I want to return the scale, RET-9 fails';
  const spots = people.map((by, n) => scene.post(`${what}, number ${n}`, by));
  const told = (text: string) => until(() => spots.every((spot) => scene.said(spot).some((said) => said.includes(text))), text);
  await told('Others report this as well.');
  const member = await scene.card(new RegExp(`${what}.*Part of incident`, 's'));
  const incident = /Part of incident (T\d+)/.exec(member)?.[1] ?? '';
  assert.match(await scene.card(new RegExp(`^\\W*${incident} · Incident: `)), /\d tickets: T/);
  await scene.press(incident, 'Tell all …', 'Fixed by eleven.');
  await told('Fixed by eleven.');
  for (const spot of spots) assert.equal(scene.said(spot).filter((said) => said.includes('Fixed by eleven.')).length, 1);
});
