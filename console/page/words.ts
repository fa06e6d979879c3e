/** The page's own words. Answers come in the language of their question; these in the browser's. */

const en = {
  skip: 'Skip to the question box',
  threads: 'Threads',
  newThread: 'New thread',
  noThreads: 'Your threads appear here.',
  welcome: 'What would you like to know?',
  welcomeHint: 'Answers come from the documents of the knowledge base, each with the passage it stands on.',
  question: 'Your question',
  placeholder: 'Ask a question …',
  keys: 'Enter sends · Shift + Enter for a new line · Esc stops',
  send: 'Send',
  stop: 'Stop the answer',
  close: 'Close',
  sources: 'Sources',
  source: 'Source',
  quoted: 'Quoted in the answer',
  from: 'From',
  where: 'Where',
  date: 'As of',
  loading: 'Loading the passage …',
  helpful: 'Helpful',
  notHelpful: 'Not helpful',
  thanks: 'Thank you, noted.',
  why: 'What was wrong with it?',
  sendFeedback: 'Send',
  skipFeedback: 'Without a reason',
  answerReady: 'The answer is ready.',
  approve: 'Approve',
  deny: 'Deny',
  arguments: 'What it would be called with',
  notAnswered: 'Not in the knowledge base',
  dropped: 'This question was withdrawn.',
  offline: 'The connection is lost. Trying again …',
  enterTitle: 'One step to enter',
  enterHint: 'Paste the token that was printed when the assistant was started.',
  token: 'Token',
  enterGo: 'Enter',
  failed: 'That did not work. Please try again.',
  today: 'Today',
  yesterday: 'Yesterday',
  earlier: 'Earlier',
};

export type Words = typeof en;

const zh: Words = {
  skip: '跳到提问框',
  threads: '对话',
  newThread: '新对话',
  noThreads: '你的对话会显示在这里。',
  welcome: '想了解什么？',
  welcomeHint: '回答来自知识库中的文档，每一处都附有所依据的原文。',
  question: '你的问题',
  placeholder: '输入问题……',
  keys: 'Enter 发送 · Shift + Enter 换行 · Esc 停止',
  send: '发送',
  stop: '停止回答',
  close: '关闭',
  sources: '来源',
  source: '来源',
  quoted: '回答中引用的原文',
  from: '文档',
  where: '位置',
  date: '截至',
  loading: '正在载入原文……',
  helpful: '有帮助',
  notHelpful: '没有帮助',
  thanks: '谢谢，已记录。',
  why: '哪里不对？',
  sendFeedback: '提交',
  skipFeedback: '不填原因',
  answerReady: '回答已完成。',
  approve: '批准',
  deny: '拒绝',
  arguments: '调用的内容',
  notAnswered: '知识库中没有',
  dropped: '这个问题已撤回。',
  offline: '连接已断开，正在重试……',
  enterTitle: '还差一步',
  enterHint: '请粘贴启动助手时显示的令牌。',
  token: '令牌',
  enterGo: '进入',
  failed: '没有成功，请再试一次。',
  today: '今天',
  yesterday: '昨天',
  earlier: '更早',
};

const isChinese = navigator.language.toLowerCase().startsWith('zh');

export const words: Words = isChinese ? zh : en;

/** Fills what the HTML left open. */
export const fillWords = (): void => {
  document.documentElement.lang = isChinese ? 'zh' : 'en';
  const wordFor = (name: string | undefined): string => words[name as keyof Words] ?? '';
  for (const element of document.querySelectorAll<HTMLElement>('[data-word]'))
    element.textContent = wordFor(element.dataset['word']);
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]')) {
    const label = wordFor(element.dataset['label']);
    element.setAttribute('aria-label', label);
    if (element instanceof HTMLButtonElement) element.title = label;
  }
  for (const element of document.querySelectorAll<HTMLTextAreaElement>('[data-placeholder]')) {
    element.placeholder = wordFor(element.dataset['placeholder']);
  }
};
