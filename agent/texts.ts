/**
 * The assistant's own fixed texts, in one catalogue. The language is the question's. Everything else that is shown comes from
 * a model or from documents.
 */

export type Language = 'en' | 'zh';

const HAN = /\p{Script=Han}/gu;
const LATIN_WORD = /\p{Script=Latin}+/gu;
const KANA_OR_HANGUL = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Chinese when its characters weigh more than the Latin words beside them; English otherwise. */
export const languageOf = (text: string): Language => {
  if (KANA_OR_HANGUL.test(text)) return 'en';
  const han = text.match(HAN)?.length ?? 0;
  const words = text.match(LATIN_WORD)?.length ?? 0;
  return han > words ? 'zh' : 'en';
};

const en = {
  placeholder: 'Looking into it …',
  queued: 'I have your question. It comes after the one before it here.',
  foldedIn: 'Noted: I take this into the answer that is under way.',
  searching: 'Searching the knowledge base …',
  calculating: 'Calculating …',
  writing: 'Writing the answer …',
  notKnown: (subject: string) =>
    `The knowledge base does not answer this${subject === '' ? '' : `: I found nothing on ${subject}`}.`,
  nearestDocuments: (titles: readonly string[]) => `The nearest documents are ${titles.map((title) => `“${title}”`).join(', ')}.`,
  greeting: 'Hello. Ask me a question, and I answer from the documents with their sources. I can calculate as well.',
  welcome: 'You are welcome.',
  whatWouldHelp: 'It would help to add a document that covers it, or to ask with other words.',
  knowledgeEmpty: 'The knowledge base is empty. Add documents with `threadwise ingest PATH`, then ask again.',
  connectModel: 'These are the best-matching sentences of the documents. Connecting a language model gives written answers.',
  remembered: (text: string, date: string) => `${text} (said here on ${date})`,
  fallbackNote: 'The language model cannot be reached; this answer quotes the documents instead.',
  emptyQuestion: 'There is no question in your message. Ask me something in words, for example: “How long is the warranty?”',
  questionTooLong: (length: number, limit: number) =>
    `Your question is ${length} characters long; I can read up to ${limit}. Please shorten it, or split it into several questions.`,
  stepLimit: (steps: number) => `I stopped after ${steps} steps without a final answer.`,
  timeLimit: (seconds: number) => `I stopped after ${seconds} seconds without a final answer.`,
  budgetReached: (budget: string, limit: string) => `I stopped because ${budget} is used up: ${limit}.`,
  budgetOwners: {
    run: 'the budget of one answer',
    person: 'your budget for today',
    channel: "this channel's budget for today",
    day: 'the budget of everyone for today',
  },
  budgetUnits: {
    modelCalls: (limit: number) => `${limit} model calls`,
    toolCalls: (limit: number) => `${limit} tool calls`,
    tokens: (limit: number) => `${limit} tokens`,
    microUsd: (limit: number) => `${limit / 1_000_000} US dollars`,
    runMs: (limit: number) => `${limit / 1_000} seconds of work`,
  },
  modelBusy: (minutes: number) =>
    `The language model asks to be left alone for ${minutes} minutes, so I cannot answer right now. Please ask again then.`,
  parked: 'The language model asks for a pause; I go on with your question after it.',
  foundSoFar: 'What I found so far:',
  cancelled: 'Stopped, as you asked.',
  modelUnavailable:
    'The language model did not answer, so I cannot give you an answer right now. Please ask again in a few minutes.',
  modelRefused: (reason: string) => `The language model declined to answer${reason === '' ? '.' : `: ${reason}`}`,
  answerCut: '(The answer was too long for the language model and ends here.)',
  failed:
    'Something went wrong on my side and I could not finish this answer. Your question is recorded; please ask again, and tell an administrator if it happens twice.',
  rateLimited: (seconds: number, limit: number) =>
    `You can ask ${limit} questions a minute. Please ask again in ${seconds} seconds.`,
  notAllowed:
    'I may not answer you here. An administrator can allow it by adding your id, or this channel, to the configuration.',
  guestsRefused: 'I answer members of this workspace only, not guests or people of other organisations.',
  sources: 'Sources',
  refusedCalculation: (reason: string) => `I cannot calculate this: ${reason}.`,
  updatedOn: (date: string) => `as of ${date}`,
  helpful: 'Helpful',
  notHelpful: 'Not helpful',
  feedbackThanks: 'Thank you, noted.',
  feedbackWhy: 'What was wrong with it?',
  feedbackWhyHint: 'One sentence is enough.',
  stop: 'Stop',
  notYoursToStop: 'Only the person who asked, or an administrator, can stop this answer.',
  noRunToStop: 'No answer of yours is under way here.',
  untitled: 'A question',
  askedBy: (name: string) => `${name} asked:`,
  commandUsage: (command: string) => `Write your question after ${command}, for example: ${command} How long is the warranty?`,
  answeredInDirect: 'I am not in this conversation, so I answer you in a direct message.',
  tryAgain: 'I could not take your question just now. Please ask again in a minute.',
  terminalWelcome: 'Ask a question and press Enter. /help tells the rest.',
  terminalHelp:
    '/sources  the passages behind the last answer\n/quit     leave (Ctrl-D does too)\nCtrl-C    stop the answer under way; at an empty prompt, leave',
  noSources: 'The last answer names no sources.',
  earlierAnswer: 'Answer to an earlier question:',
};

/** Every language has every text. */
export type Texts = typeof en;

const zh: Texts = {
  placeholder: '正在处理……',
  queued: '已收到你的问题，前一个问题答完后就处理。',
  foldedIn: '已收到，会纳入正在进行的回答。',
  searching: '正在检索知识库……',
  calculating: '正在计算……',
  writing: '正在撰写回答……',
  notKnown: (subject) => `知识库中没有这个问题的答案${subject === '' ? '' : `：没有找到与“${subject}”有关的内容`}。`,
  nearestDocuments: (titles) => `最接近的文档是${titles.map((title) => `《${title}》`).join('、')}。`,
  greeting: '你好。请直接提问，我会根据文档回答并注明来源，也可以帮你计算。',
  welcome: '不客气。',
  whatWouldHelp: '可以补充一份相关文档，或者换一种说法再问。',
  knowledgeEmpty: '知识库是空的。请先用 `threadwise ingest 路径` 添加文档，再来提问。',
  connectModel: '以上是文档中最匹配的原句。接入语言模型后可以得到成文的回答。',
  remembered: (text, date) => `${text}（${date} 说过）`,
  fallbackNote: '语言模型暂时无法连接，以下回答直接引用文档原文。',
  emptyQuestion: '你的消息里没有问题。请用文字提问，例如：“保修期是多久？”',
  questionTooLong: (length, limit) => `你的问题有 ${length} 个字符，我最多能读 ${limit} 个。请缩短，或拆成几个问题。`,
  stepLimit: (steps) => `我在 ${steps} 步之后停止了，还没有得出最终答案。`,
  timeLimit: (seconds) => `我在 ${seconds} 秒之后停止了，还没有得出最终答案。`,
  budgetReached: (budget, limit) => `${budget}已用完（${limit}），我就此停止。`,
  budgetOwners: { run: '单次回答的额度', person: '你今天的额度', channel: '本频道今天的额度', day: '所有人今天的总额度' },
  budgetUnits: {
    modelCalls: (limit) => `${limit} 次模型调用`,
    toolCalls: (limit) => `${limit} 次工具调用`,
    tokens: (limit) => `${limit} 个词元`,
    microUsd: (limit) => `${limit / 1_000_000} 美元`,
    runMs: (limit) => `${limit / 1_000} 秒运行时间`,
  },
  modelBusy: (minutes) => `语言模型要求暂停 ${minutes} 分钟，现在无法回答。请稍后再问。`,
  parked: '语言模型要求暂停，之后我会继续处理你的问题。',
  foundSoFar: '目前找到的内容：',
  cancelled: '已按你的要求停止。',
  modelUnavailable: '语言模型没有响应，暂时无法回答。请过几分钟再问。',
  modelRefused: (reason) => `语言模型拒绝回答${reason === '' ? '。' : `：${reason}`}`,
  answerCut: '（回答超出了语言模型的长度限制，到此为止。）',
  failed: '我这边出了问题，没能完成这次回答。你的问题已记录；请再问一次，如果再次发生请告知管理员。',
  rateLimited: (seconds, limit) => `每分钟最多可以提 ${limit} 个问题。请在 ${seconds} 秒后再问。`,
  notAllowed: '我不能在这里回答你。管理员可以把你的 ID 或这个频道加入配置来开通。',
  guestsRefused: '我只回答本工作区的成员，不回答访客或外部组织的人。',
  sources: '来源',
  refusedCalculation: (reason) => `无法计算：${reason}。`,
  updatedOn: (date) => `截至 ${date}`,
  helpful: '有帮助',
  notHelpful: '没有帮助',
  feedbackThanks: '谢谢，已记录。',
  feedbackWhy: '哪里不对？',
  feedbackWhyHint: '一句话就够。',
  stop: '停止',
  notYoursToStop: '只有提问者或管理员可以停止这个回答。',
  noRunToStop: '这里没有正在为你准备的回答。',
  untitled: '一个问题',
  askedBy: (name) => `${name} 提问：`,
  commandUsage: (command) => `请在 ${command} 后面写上你的问题，例如：${command} 保修期是多久？`,
  answeredInDirect: '我不在这个会话里，所以会在私信中回答你。',
  tryAgain: '暂时没能收下你的问题，请一分钟后再问。',
  terminalWelcome: '输入问题后按回车。输入 /help 查看其他命令。',
  terminalHelp:
    '/sources  上一个回答所依据的原文\n/quit     退出（Ctrl-D 也可以）\nCtrl-C    停止正在进行的回答；提示符为空时退出',
  noSources: '上一个回答没有来源。',
  earlierAnswer: '对先前问题的回答：',
};

const CATALOGUE: Readonly<Record<Language, Texts>> = { en, zh };

export const textsFor = (language: Language): Texts => CATALOGUE[language];
