import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWish, type Wish } from '../../memory/command-words.ts';

const ID = 'a1b2c3d4';

const WISHES: readonly (readonly [string, Wish])[] = [
  ['memory', { kind: 'list', topic: '' }],
  ['/memory', { kind: 'list', topic: '' }],
  ['Memory list', { kind: 'list', topic: '' }],
  ['memory list the billing service', { kind: 'list', topic: 'the billing service' }],
  ['What do you remember about me?', { kind: 'list', topic: '' }],
  ['what do you remember about billing?', { kind: 'list', topic: 'billing' }],
  ['记忆', { kind: 'list', topic: '' }],
  ['记忆 列表', { kind: 'list', topic: '' }],
  ['记忆列表 账单', { kind: 'list', topic: '账单' }],
  ['你记得什么？', { kind: 'list', topic: '' }],
  ['memory why', { kind: 'why', id: '' }],
  [`memory why ${ID}`, { kind: 'why', id: ID }],
  ['Why do you know this?', { kind: 'why', id: '' }],
  ['你怎么知道的？', { kind: 'why', id: '' }],
  [`记忆 为什么 ${ID}`, { kind: 'why', id: ID }],
  [`memory edit ${ID} We use Redis.`, { kind: 'edit', id: ID, text: 'We use Redis' }],
  [`记忆 修改 ${ID} 我们用 Redis`, { kind: 'edit', id: ID, text: '我们用 Redis' }],
  [`memory forget ${ID}`, { kind: 'forget', id: ID }],
  [`忘记 ${ID}`, { kind: 'forget', id: ID }],
  ['memory forget about the Orion project', { kind: 'forget_topic', topic: 'the Orion project' }],
  ['Forget what I told you about Orion.', { kind: 'forget_topic', topic: 'Orion' }],
  ['forget everything about Orion', { kind: 'forget_topic', topic: 'Orion' }],
  ['忘记关于猎户座的一切', { kind: 'forget_topic', topic: '猎户座' }],
  ['记忆 忘记 关于 猎户座', { kind: 'forget_topic', topic: '猎户座' }],
  ['memory forget all', { kind: 'forget_all' }],
  ['Forget everything you know about me.', { kind: 'forget_all' }],
  ['记忆 忘记 全部', { kind: 'forget_all' }],
  ['memory export', { kind: 'export' }],
  ['记忆 导出', { kind: 'export' }],
  ['memory pin Always answer in German', { kind: 'pin', text: 'Always answer in German' }],
  ['Remember that our fiscal year starts in April.', { kind: 'pin', text: 'our fiscal year starts in April' }],
  ['记住：我们的财年从四月开始。', { kind: 'pin', text: '我们的财年从四月开始' }],
  ['memory pins', { kind: 'pins' }],
  ['Yes, please.', { kind: 'yes' }],
  ['好的！', { kind: 'yes' }],
  [`memory pin yes ${ID}`, { kind: 'accept', id: ID }],
  [`记忆 固定 确认 ${ID}`, { kind: 'accept', id: ID }],
  [`memory unpin ${ID}`, { kind: 'unpin', id: ID }],
  [`memory share ${ID} here`, { kind: 'share', id: ID, to: 'here', isConfirmed: false }],
  [`memory share ${ID} workspace yes`, { kind: 'share', id: ID, to: 'workspace', isConfirmed: true }],
  [`记忆 共享 ${ID} 工作区 确认`, { kind: 'share', id: ID, to: 'workspace', isConfirmed: true }],
  ['memory link', { kind: 'link', code: '' }],
  ['memory link 1A2B3C4D5E6F', { kind: 'link', code: '1A2B3C4D5E6F' }],
  ['memory unlink', { kind: 'unlink' }],
  ['memory help', { kind: 'help' }],
  ['/memory fnord', { kind: 'help' }],
  ['memory forget a1b2', { kind: 'help' }],
];

for (const [text, wish] of WISHES) {
  test(`“${text}” is a wish to memory`, () => assert.deepEqual(readWish(text), wish));
}

const QUESTIONS = [
  'How much memory does the server need?',
  'memory leak in the billing service, what now?',
  'Forget it.',
  'Yes, but how long is the warranty?',
  'memory share of the new server, how large is it?',
  'Do you remember what the deadline is?',
  'Remember that we met? How long is the warranty?',
  'Why do you know this area so well, and who is your manager?',
  '记忆力训练的课程什么时候开始？',
  'Do not forget about the deadline, when is it?',
  `Remember that ${'x'.repeat(700)}`,
];

for (const text of QUESTIONS) {
  test(`“${text.slice(0, 60)}” is a question to the assistant`, () => assert.equal(readWish(text), undefined));
}

test('a hostile message is read in no time', () => {
  const startedAt = performance.now();
  for (const text of ['memory '.repeat(3_000), `memory forget about ${' a'.repeat(9_000)}!?`, `记住${'，'.repeat(9_000)}？`])
    readWish(text);
  assert.ok(performance.now() - startedAt < 1_000);
});
