/** What a person solved becomes an article that the next one who asks is answered from. */
import assert from 'node:assert/strict';
import { textsFor } from '../../../agent/texts.ts';
import { numberOf, onBoth, until } from './scene.ts';

const { placeholder, queued, searching, writing } = textsFor('en');
const UNDER_WAY: ReadonlySet<string> = new Set([placeholder, queued, searching, writing]);

/** Both platforms share the documents: each has a question of its own. */
const STORIES = {
  slack: {
    question: 'How do I calibrate the Zorbex scale?',
    near: 'How can I calibrate my Zorbex scale?',
    fix: 'Hold both buttons of the Zorbex scale for ten seconds, then put the weight on it twice.',
  },
  discord: {
    question: 'How do I descale the Quillon tank?',
    near: 'How can I descale my Quillon tank?',
    fix: 'Fill the Quillon tank with water and citric acid, wait one hour, then rinse it twice.',
  },
};

onBoth('what a person solved becomes an article, once a person approves it', async (scene) => {
  const { question, near, fix } = STORIES[scene.platform];
  const ask = (text: string): Promise<string> => {
    const spot = scene.mention(text);
    return until(() => scene.said(spot).find((answer) => !UNDER_WAY.has(answer)), 'an answer');
  };
  assert.ok(!(await ask(question)).includes(fix));

  const spot = scene.post(question);
  const id = numberOf(await scene.card(new RegExp(question.slice(0, 20))));
  scene.reply(spot, `Hi Ada, ${fix} If not, write to ben@corp.example.`, scene.ben);
  await scene.card(new RegExp(`${question.slice(0, 20)}.*waiting for the asker`, 's'));
  scene.reply(spot, 'Thanks!');
  await scene.press(id, 'Solve');

  // Proposed by itself, without names and addresses, where the team reads, and in no answer yet.
  const article = `Article of ${id}`;
  const proposed = await scene.card(new RegExp(`${article} · .*waits for approval`, 's'));
  assert.ok(proposed.includes(fix));
  assert.doesNotMatch(proposed, /Ada|corp\.example/);
  assert.ok(scene.cards(spot).every((card) => !card.includes(article)));
  assert.ok(!(await ask(question)).includes(fix));

  await scene.press(article, 'Edit article …', `# ${question}\n\n${fix}`);
  await until(() => scene.cards().some((card) => card.includes(article) && !card.includes('[e-mail]')), 'the edited article');
  await scene.press(article, 'Publish for everyone');
  await scene.card(new RegExp(`${article} · .*State: published`, 's'));
  for (const asked of [question, near]) {
    const answer = await ask(asked);
    assert.ok(answer.includes(fix), answer);
    assert.ok(answer.includes(`tickets/${id}.md`), answer);
  }

  await scene.press(article, 'Retract');
  assert.ok(!(await ask(question)).includes(fix));
});
