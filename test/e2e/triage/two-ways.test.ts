/** A ticket stands in the outside helpdesk as well: what either side writes and sets is on the other, once. */
import assert from 'node:assert/strict';
import { fromAdf } from '../../../triage/connectors/jira-adf.ts';
import { numberOf, onBoth, until } from './scene.ts';

onBoth('a ticket and its issue are kept in step', async (scene) => {
  const { jira } = scene;
  const about = `The blender of ${scene.platform} does not spin`;
  const spot = scene.post(about);
  const id = numberOf(await scene.card(new RegExp(about)));
  const issue = await until(
    () => jira.world.issues.find(({ description }) => fromAdf(description as never).includes(about)),
    'the issue',
  );
  const said = () => issueNow().comments.map(({ body }) => fromAdf(body as never));
  const issueNow = () => jira.world.issues.find(({ key }) => key === issue.key) ?? assert.fail();

  // What an agent answers there is read by the asker; a note of theirs is not.
  jira.people.say(issue.key, 'Please hold the button for ten seconds.');
  jira.people.say(issue.key, 'He is a reseller', { isSeen: false });
  await until(() => scene.said(spot).includes('Please hold the button for ten seconds.'), 'the answer');

  // What the asker answers is read there, and makes the rounds no further.
  scene.reply(spot, 'It spins now, but loudly.');
  await until(() => said().some((text) => text.endsWith('It spins now, but loudly.')), 'the comment');

  await scene.press(id, 'Solve');
  await until(() => issueNow().status === 'Done', 'the status there');
  // Within the same moment it would wait to see whether that is a change at all.
  await new Promise((resolve) => setTimeout(resolve, 300));
  // It is asked what changed there every ten seconds, and whenever something changes here.
  jira.people.set(issue.key, { status: 'open' });
  scene.reply(spot, 'One moment.', scene.ben);
  await scene.card(new RegExp(`${about}.*Reopened: episode 2`, 's'));

  assert.equal(scene.said(spot).filter((text) => text.includes('hold the button')).length, 1);
  assert.equal(said().filter((text) => text.includes('loudly')).length, 1);
  assert.ok(!scene.said(spot).some((text) => text.includes('reseller')));
});
