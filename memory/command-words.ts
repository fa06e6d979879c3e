/** What a message wishes of memory itself, in English and Chinese, when that is all it says. */

export type Wish =
  | { readonly kind: 'list'; readonly topic: string }
  | { readonly kind: 'why'; readonly id: string }
  | { readonly kind: 'edit'; readonly id: string; readonly text: string }
  | { readonly kind: 'forget'; readonly id: string }
  | { readonly kind: 'forget_topic'; readonly topic: string }
  | { readonly kind: 'forget_all' | 'export' | 'pins' | 'unlink' | 'help' }
  /** Of memory only where it was just asked for. */
  | { readonly kind: 'yes' }
  | { readonly kind: 'pin'; readonly text: string }
  | { readonly kind: 'accept'; readonly id: string }
  | { readonly kind: 'unpin'; readonly id: string }
  | { readonly kind: 'share'; readonly id: string; readonly to: 'here' | 'workspace'; readonly isConfirmed: boolean }
  | { readonly kind: 'link'; readonly code: string };

const ID = '[0-9a-f]{8}';
const END = '[\\s.!?。！？]*$';

type Reader = (...groups: readonly string[]) => Wish;

const pattern = (source: string): RegExp => new RegExp(`^${source}${END}`, 'isu');

/** After the word `memory` or `记忆`. */
const COMMANDS: readonly (readonly [RegExp, Reader])[] = [
  [pattern('(?:list|show|列表|列出|显示)?(?:\\s+(?:about\\s+)?|\\s*关于\\s*)?'), () => ({ kind: 'list', topic: '' })],
  [pattern('(?:list|show)\\s+(?:about\\s+)?(.+?)'), (topic = '') => ({ kind: 'list', topic })],
  [pattern('(?:列表|列出|显示)\\s*(?:关于)?\\s*(.+?)'), (topic = '') => ({ kind: 'list', topic })],
  [pattern(`(?:why|为什么|来源)\\s*(${ID})?`), (id = '') => ({ kind: 'why', id })],
  [pattern(`(?:edit|修改|更改)\\s+(${ID})\\s+(.+?)`), (id = '', text = '') => ({ kind: 'edit', id, text })],
  [pattern('(?:forget|忘记|删除)\\s*(?:all|everything|全部|所有|一切)'), () => ({ kind: 'forget_all' })],
  [pattern(`(?:forget|忘记|删除)\\s*(${ID})`), (id = '') => ({ kind: 'forget', id })],
  [pattern('forget\\s+about\\s+(.+?)'), (topic = '') => ({ kind: 'forget_topic', topic })],
  [pattern('(?:忘记|删除)\\s*关于\\s*(.+?)(?:的(?:一切|事|内容))?'), (topic = '') => ({ kind: 'forget_topic', topic })],
  [pattern('(?:export|导出)'), () => ({ kind: 'export' })],
  [pattern('(?:pins|固定项|置顶)'), () => ({ kind: 'pins' })],
  [pattern(`(?:pin|固定)\\s*(?:yes|确认)\\s*(${ID})`), (id = '') => ({ kind: 'accept', id })],
  [pattern('(?:pin|固定)\\s+(.+?)'), (text = '') => ({ kind: 'pin', text })],
  [pattern(`(?:unpin|取消固定)\\s*(${ID})`), (id = '') => ({ kind: 'unpin', id })],
  [
    pattern(`(?:share|共享|分享)\\s*(${ID})\\s*(?:with\\s+)?(here|workspace|这里|工作区)\\s*(yes|确认)?`),
    (id = '', to = '', yes = '') => ({
      kind: 'share',
      id,
      to: to.toLowerCase() === 'here' || to === '这里' ? 'here' : 'workspace',
      isConfirmed: yes !== '',
    }),
  ],
  [pattern('(?:link|关联)\\s*([0-9A-Za-z]{8,16})?'), (code = '') => ({ kind: 'link', code })],
  [pattern('(?:unlink|取消关联)'), () => ({ kind: 'unlink' })],
];

/** Whole messages that say the same in a sentence. */
const SENTENCES: readonly (readonly [RegExp, Reader])[] = [
  [pattern('(?:yes|yes,? please|yep|yeah|ok|okay|sure|please do|ja|是|是的|好|好的|可以|确认|对)'), () => ({ kind: 'yes' })],
  [pattern('(?:why|how) (?:do|did|come) you (?:know|remember) (?:this|that|it)'), () => ({ kind: 'why', id: '' })],
  [pattern('你(?:为什么|为何|怎么)(?:会)?(?:知道|记得)(?:这个|这些|这件事)?(?:的|呢)?'), () => ({ kind: 'why', id: '' })],
  [pattern('what do you (?:remember|know) about me'), () => ({ kind: 'list', topic: '' })],
  [pattern('what do you remember(?: about (.+?))?'), (topic = '') => ({ kind: 'list', topic })],
  [pattern('你(?:都)?记得(?:我的)?(?:什么|哪些)(?:事|内容)?'), () => ({ kind: 'list', topic: '' })],
  [
    pattern(
      '(?:please )?forget (?:everything|all)(?: (?:that )?(?:you (?:know|remember)(?: about me)?|i (?:ever )?(?:told|said to) you))?',
    ),
    () => ({ kind: 'forget_all' }),
  ],
  [
    pattern('(?:please )?forget (?:what|everything|all)(?: that)? i (?:told|said to) you about (.+?)'),
    (topic = '') => ({ kind: 'forget_topic', topic }),
  ],
  [
    pattern('(?:please )?forget everything (?:you (?:know|remember) )?about (.+?)'),
    (topic = '') => ({ kind: 'forget_topic', topic }),
  ],
  [pattern(`(?:请)?忘记\\s*(${ID})`), (id = '') => ({ kind: 'forget', id })],
  [pattern('(?:请)?忘记(?:全部|所有|一切)(?:内容)?'), () => ({ kind: 'forget_all' })],
  [pattern('(?:请)?忘记(?:我说过的)?关于(.+?)(?:的(?:一切|事|内容))?'), (topic = '') => ({ kind: 'forget_topic', topic })],
  [pattern('(?:请)?忘记我(?:告诉你|说过)的(.+?)'), (topic = '') => ({ kind: 'forget_topic', topic })],
  [pattern('(?:please )?remember(?: that\\b|:)\\s*([^?？]+?)'), (text = '') => ({ kind: 'pin', text })],
  [pattern('(?:请)?记住[：:，,\\s]*([^?？]+?)'), (text = '') => ({ kind: 'pin', text })],
];

/** A verb of memory whose rest cannot be read; a question is one to the assistant. */
const MISTYPED = /^(?:help|帮助|(?:why|edit|forget|pin|unpin|share|link)\b|为什么|修改|忘记|固定|取消固定|共享)[^?？]{0,60}$/iu;

const PREFIX = /^\/?(?:memory|记忆)(?:\s+|[：:]\s*|(?=$|[\p{Script=Han}]))/iu;
/** A pin of more lines is a message that only begins like a wish. */
const MAX_SENTENCE_CHARACTERS = 600;

const readWith = (patterns: typeof COMMANDS, text: string): Wish | undefined => {
  for (const [expression, read] of patterns) {
    const match = expression.exec(text);
    if (match !== null) return read(...match.slice(1).map((group) => group?.trim() ?? ''));
  }
  return undefined;
};

/** Undefined for a message to the assistant. */
export const readWish = (message: string): Wish | undefined => {
  const text = message.trim();
  const prefix = PREFIX.exec(text)?.[0];
  if (prefix !== undefined) {
    const rest = text.slice(prefix.length).trim();
    const wish = readWith(COMMANDS, rest);
    if (wish !== undefined) return wish;
    return text.startsWith('/') || MISTYPED.test(rest) ? { kind: 'help' } : undefined;
  }
  return text.length > MAX_SENTENCE_CHARACTERS ? undefined : readWith(SENTENCES, text);
};
