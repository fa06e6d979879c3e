/** An answer from the documents, with its sources, which a person of the team looks at before it goes out. */
import assert from 'node:assert/strict';
import { numberOf, onBoth, until } from './scene.ts';

onBoth('a ticket comes with a drafted answer, which is edited, and sent once', async (scene) => {
  const spot = scene.post('When are refunds paid after the parcel reaches the warehouse?');
  const card = await scene.card(/When are refunds paid.*Draft proposed: /s);
  assert.match(card, /\[1\]/, 'with its source');
  assert.deepEqual(scene.said(spot), [], 'nothing was sent');

  const id = numberOf(card);
  await scene.press(id, 'Edit draft …', 'Five working days from now.');
  await scene.card(/Draft edited: Five working days from now\./);
  await scene.press(id, 'Send draft');
  await until(() => scene.said(spot).some((text) => text.includes('Five working days from now.')), 'the answer');
  const sent = await scene.card(/When are refunds paid.*Draft sent: /s);
  assert.match(sent, /Status: waiting for the asker/);
  assert.equal(scene.said(spot).filter((text) => text.includes('Five working')).length, 1);
});
