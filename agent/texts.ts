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

const numbered = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

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
  remembered: (text: string, date: string) => `${text} (${date === '' ? 'said earlier' : `said on ${date}`})`,
  pinned: (text: string) => `${text} (pinned)`,
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
  /** `kind` is that of the calculator's refusal. */
  refusedCalculation: (reason: string, _kind: string) => `I cannot calculate this: ${reason}.`,
  /** By its English name. */
  weekday: (name: string) => name,
  updatedOn: (date: string) => `as of ${date}`,
  helpful: 'Helpful',
  notHelpful: 'Not helpful',
  feedbackThanks: 'Thank you, noted.',
  feedbackWhy: 'What was wrong with it?',
  feedbackWhyHint: 'One sentence is enough.',
  stop: 'Stop',
  notYoursToStop: 'Only the person who asked, or an administrator, can stop this answer.',
  noRunToStop: 'No answer of yours is under way here.',
  queryRows: (count: number, source: string, readAt: string) =>
    `${count === 1 ? '1 row' : `${count} rows`} of the database “${source}”, read ${readAt} UTC`,
  queryDataAsOf: (time: string) => `data as of ${time}`,
  chartFailed: 'The rows could not be drawn as a chart.',
  queryFailed: 'The database that holds this cannot be asked right now. Please ask again in a few minutes.',
  queryTooLarge:
    'The database was asked, and the answer would take too long or be too much. Please ask for less: a shorter period, for example.',
  queryRefused: 'The database that holds this is not open to me. An administrator finds the reason in the log.',
  queryNothing: 'There are no such records.',
  serviceRead: (service: string, readAt: string) => `From the service “${service}”, asked at ${readAt} UTC`,
  serviceFailed: 'The service that holds this cannot be asked right now. Please ask again in a few minutes.',
  serviceNothing: 'The service that would hold this has no such record.',
  queryCut: (shown: number) => `The first ${shown} are shown; there are more.`,
  untitled: 'A question',
  askedBy: (name: string) => `${name} asked:`,
  commandUsage: (command: string) => `Write your question after ${command}, for example: ${command} How long is the warranty?`,
  answeredInDirect: 'I am not in this conversation, so I answer you in a direct message.',
  tryAgain: 'I could not take your question just now. Please ask again in a minute.',
  terminalWelcome: 'Ask a question and press Enter. /help tells the rest.',
  terminalHelp:
    '/sources  the passages behind the last answer\n/quit     leave (Ctrl-D does too)\nCtrl-C    stop the answer under way; at an empty prompt, leave',
  files: {
    notPosted: (name: string) => `The file ${name} could not be posted here.`,
    /** By channel: what an administrator does where the bot may post no files. */
    rights: {
      slack: 'An administrator can add the scope files:write to the Slack app and install it again.',
      discord: 'An administrator can give the bot the permission Attach Files in this channel.',
    } as Readonly<Partial<Record<string, string>>>,
    seeLog: 'An administrator finds the reason in the log.',
    kept: (path: string) => `The file is ${path}`,
  },
  noSources: 'The last answer names no sources.',
  earlierAnswer: 'Answer to an earlier question:',
  approval: {
    waiting: 'This needs an approval. The card below says what will happen, and who may decide.',
    title: (tool: string) => `Approve this call of ${tool}?`,
    unnamed: 'It changes something outside of this conversation.',
    provenance:
      'This run has read text from outside and data that is not for everyone, and it can change something: together that could carry data out.',
    who: (people: string) => `May decide: ${people}`,
    admins: 'administrators',
    until: (time: string) => `until ${time}`,
    approve: 'Approve',
    deny: 'Deny',
    showAll: 'Show in full',
    more: (count: number) => `… and ${count} more characters: “Show in full” shows them all.`,
    approvedBy: (name: string) => `Approved by ${name}.`,
    deniedBy: (name: string) => `Denied by ${name}. It was not done.`,
    expired: 'Nobody decided in time. It was not done.',
    withdrawn: 'No longer asked for. It was not done.',
    approved: 'Approved. I go on.',
    denied: 'Denied. I do not do it.',
    alreadyApproved: 'This was approved already.',
    alreadyDenied: 'This was denied already.',
    over: 'Too late: this can no longer be decided. Ask again if it is still wanted.',
    notYours: 'Only the people whom the card names can decide this.',
    yesOrNo: 'Type y to approve, n to deny.',
    you: 'you',
  },
  memory: {
    help: [
      'What you can say to my memory:',
      '- `memory list [TOPIC]`: what I remember that may be read here',
      '- `memory why [ID]`: where a memory comes from, or what I remember about your last question',
      '- `memory edit ID TEXT`, `memory forget ID`, `memory forget about TOPIC`, `memory forget all`',
      '- `memory pin TEXT`, `memory pins`, `memory unpin ID`: what stands in every answer',
      '- `memory share ID here` or `workspace`: let others read it',
      '- `memory export`, `memory link`, `memory unlink`',
    ].join('\n'),
    nothing: (topic: string) =>
      topic === '' ? 'I remember nothing that may be read here.' : `I remember nothing about “${topic}” that may be read here.`,
    listed: (count: number, topic: string) =>
      `I remember ${count === 1 ? 'one thing' : `${count} things`}${topic === '' ? '' : ` about “${topic}”`}:`,
    more: (count: number) => `… and ${count} more. \`memory list TOPIC\` narrows it down.`,
    privateElsewhere: 'What you told me in private is listed in a direct message only.',
    unknown: (id: string) => `I have no memory \`${id}\` that may be read here. \`memory list\` shows those that may.`,
    notYours: 'Somebody else said this. Only that person or an administrator can change it.',
    why: (id: string, text: string, speaker: string, day: string, source: string, quote: string) =>
      `\`${id}\` ${text}\n${speaker} said this on ${day} (${source}): “${quote}”`,
    reasons: 'This is what I remember about your last question:',
    noReason: 'I used no memory for the last answer. What it says comes from the documents it names and from this conversation.',
    edited: (id: string, text: string) => `Changed \`${id}\`: ${text}`,
    forgotten: ({ observations, turns, pins, notes }: { observations: number; turns: number; pins: number; notes: number }) =>
      observations + turns + pins + notes === 0
        ? 'I found nothing of yours to forget. `memory list` shows what I remember.'
        : `Forgotten: ${numbered(observations, 'memory', 'memories')}, ${numbered(pins, 'pin')}, ${numbered(turns, 'question')} with the answers, ${numbered(notes, 'summary', 'summaries')}. Messages that stand on the platform itself are not mine to remove: delete them there.`,
    exported: (observations: number, pins: number) =>
      `${numbered(observations, 'memory', 'memories')} and ${numbered(pins, 'pin')}:`,
    noted: 'I have noted what you said. `memory list` shows it.',
    pinned: (id: string, text: string) => `Pinned as \`${id}\`: ${text}`,
    proposed: (id: string, text: string) =>
      `Shall I keep this in mind for every answer here: “${text}”? Then say yes, or later \`memory pin yes ${id}\`.`,
    waitsForYes: (id: string) => `waits for \`memory pin yes ${id}\``,
    pinsListed: (count: number) => `${count === 1 ? 'One pin stands' : `${count} pins stand`} here:`,
    noPins: 'Nothing is pinned here. `memory pin TEXT` adds one.',
    unpinned: (text: string) => `No longer pinned: ${text}`,
    tooManyPins: (limit: number) =>
      `There are ${limit} pins already, and each takes room in every answer. Remove one with \`memory unpin ID\` first.`,
    tooLong: (length: number, limit: number) =>
      `I keep texts of up to ${limit} characters; this one has ${length}. Please shorten it.`,
    secret: 'This looks like a password or a key. I do not keep secrets; please leave it out.',
    unfit: 'I keep facts and wishes of your own, not orders about my rules or to other people.',
    shareHereInChannel: 'Say this in the channel that should get it.',
    confirmShare: (id: string, to: 'here' | 'workspace') =>
      `${to === 'here' ? 'Everyone who reads this channel' : 'Everyone of this workspace'} could then read it. To agree, say \`memory share ${id} ${to} yes\`.`,
    shared: (id: string, to: 'here' | 'workspace', text: string) =>
      `Shared \`${id}\` with ${to === 'here' ? 'this channel' : 'this workspace'}: ${text}`,
    linkInPrivate: 'Accounts are linked in a direct message only.',
    linkCode: (code: string, minutes: number) =>
      `Your code is \`${code}\`. Send me \`memory link ${code}\` in a direct message on the other platform within ${minutes} minutes. It works once; show it to nobody.`,
    linked: 'Linked. In direct messages I now know you on both platforms. `memory unlink` undoes it.',
    linkUnknown:
      'I do not know this code: it was used, is older than ten minutes, or has a mistake. `memory link` gives a new one.',
    linkSameChannel: 'One account of each platform can be linked. `memory unlink` frees one.',
    unlinked: 'This account is linked with no other.',
  },
};

/** Every language has every text. */
export type Texts = typeof en;

const REFUSED_ZH: Readonly<Record<string, string>> = {
  syntax: '算式不完整，或写法无法识别',
  ambiguous: '有不止一种读法，请写明是哪一种',
  unknown_name: '算式里有不认识的名称',
  unit: '单位不一致，或没有这种单位',
  date: '日期不能这样计算',
  division_by_zero: '除数不能为零',
  domain: '这个运算对该数没有结果',
  too_large: '数值太大',
  limit: '算式太长或太复杂，请分几步计算',
};
const WEEKDAYS_ZH: Readonly<Record<string, string>> = {
  Monday: '星期一',
  Tuesday: '星期二',
  Wednesday: '星期三',
  Thursday: '星期四',
  Friday: '星期五',
  Saturday: '星期六',
  Sunday: '星期日',
};

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
  remembered: (text, date) => `${text}（${date === '' ? '之前' : date} 说过）`,
  pinned: (text) => `${text}（已置顶）`,
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
  refusedCalculation: (reason, kind) => `无法计算：${REFUSED_ZH[kind] ?? ''}（${reason}）。`,
  weekday: (name) => WEEKDAYS_ZH[name] ?? name,
  updatedOn: (date) => `截至 ${date}`,
  helpful: '有帮助',
  notHelpful: '没有帮助',
  feedbackThanks: '谢谢，已记录。',
  feedbackWhy: '哪里不对？',
  feedbackWhyHint: '一句话就够。',
  stop: '停止',
  notYoursToStop: '只有提问者或管理员可以停止这个回答。',
  noRunToStop: '这里没有正在为你准备的回答。',
  queryRows: (count, source, readAt) => `数据库“${source}”的 ${count} 行，读取于 ${readAt} UTC`,
  queryDataAsOf: (time) => `数据截至 ${time}`,
  chartFailed: '无法把这些行画成图表。',
  queryFailed: '保存这些数据的数据库暂时无法查询，请几分钟后再问。',
  queryTooLarge: '已向数据库查询，但耗时过长或结果过大。请缩小范围，例如缩短时间段。',
  queryRefused: '保存这些数据的数据库未对我开放，管理员可在日志中查看原因。',
  queryNothing: '没有这样的记录。',
  serviceRead: (service, readAt) => `来自服务“${service}”，查询于 ${readAt} UTC`,
  serviceFailed: '保存这些数据的服务暂时无法查询，请几分钟后再问。',
  serviceNothing: '保存这些数据的服务没有这样的记录。',
  queryCut: (shown) => `以上是前 ${shown} 行，还有更多。`,
  untitled: '一个问题',
  askedBy: (name) => `${name} 提问：`,
  commandUsage: (command) => `请在 ${command} 后面写上你的问题，例如：${command} 保修期是多久？`,
  answeredInDirect: '我不在这个会话里，所以会在私信中回答你。',
  tryAgain: '暂时没能收下你的问题，请一分钟后再问。',
  terminalWelcome: '输入问题后按回车。输入 /help 查看其他命令。',
  terminalHelp:
    '/sources  上一个回答所依据的原文\n/quit     退出（Ctrl-D 也可以）\nCtrl-C    停止正在进行的回答；提示符为空时退出',
  files: {
    notPosted: (name) => `文件 ${name} 无法发布到这里。`,
    rights: {
      slack: '管理员可为 Slack 应用添加权限 files:write 并重新安装。',
      discord: '管理员可在此频道授予机器人“附加文件”权限。',
    },
    seeLog: '管理员可在日志中查看原因。',
    kept: (path) => `文件位于 ${path}`,
  },
  noSources: '上一个回答没有来源。',
  earlierAnswer: '对先前问题的回答：',
  approval: {
    waiting: '这一步需要批准。下面的卡片写明将要做什么、谁可以决定。',
    title: (tool) => `是否批准调用 ${tool}？`,
    unnamed: '它会更改本对话之外的内容。',
    provenance: '本次运行读取了外部文本和非公开的数据，又能做出更改：三者合在一起可能把数据带出去。',
    who: (people) => `可以决定的人：${people}`,
    admins: '管理员',
    until: (time) => `截止 ${time}`,
    approve: '批准',
    deny: '拒绝',
    showAll: '查看全文',
    more: (count) => `……还有 ${count} 个字符：点“查看全文”可看到全部。`,
    approvedBy: (name) => `${name} 已批准。`,
    deniedBy: (name) => `${name} 已拒绝，没有执行。`,
    expired: '没有人及时决定，没有执行。',
    withdrawn: '已不再需要，没有执行。',
    approved: '已批准，我继续处理。',
    denied: '已拒绝，我不会执行。',
    alreadyApproved: '这一步之前已经批准。',
    alreadyDenied: '这一步之前已经拒绝。',
    over: '太晚了：这一步已经不能再决定。如仍需要，请重新提问。',
    notYours: '只有卡片上列出的人可以决定。',
    yesOrNo: '输入 y 批准，输入 n 拒绝。',
    you: '你',
  },
  memory: {
    help: [
      '关于我的记忆，你可以这样说：',
      '- `记忆 列表 [主题]`：这里可以看到的记忆',
      '- `记忆 为什么 [编号]`：某条记忆的来源，或与你上一个问题有关的记忆',
      '- `记忆 修改 编号 内容`、`记忆 忘记 编号`、`忘记关于某主题`、`记忆 忘记 全部`',
      '- `记忆 固定 内容`、`记忆 固定项`、`记忆 取消固定 编号`：每次回答都会用到的内容',
      '- `记忆 共享 编号 这里` 或 `工作区`：让其他人也能看到',
      '- `记忆 导出`、`记忆 关联`、`记忆 取消关联`',
    ].join('\n'),
    nothing: (topic) => (topic === '' ? '这里没有可以查看的记忆。' : `这里没有关于“${topic}”的记忆。`),
    listed: (count, topic) => `${topic === '' ? '' : `关于“${topic}”，`}我记得 ${count} 件事：`,
    more: (count) => `……还有 ${count} 条。用 \`记忆 列表 主题\` 缩小范围。`,
    privateElsewhere: '你私下告诉我的内容只在私信中列出。',
    unknown: (id) => `这里没有编号为 \`${id}\` 的记忆。用 \`记忆 列表\` 查看。`,
    notYours: '这是别人说的，只有本人或管理员可以更改。',
    why: (id, text, speaker, day, source, quote) => `\`${id}\` ${text}\n${speaker} 于 ${day} 说（${source}）：“${quote}”`,
    reasons: '关于你上一个问题，我记得：',
    noReason: '上一个回答没有用到记忆，内容来自它注明的文档和本次对话。',
    edited: (id, text) => `已修改 \`${id}\`：${text}`,
    forgotten: ({ observations, turns, pins, notes }) =>
      observations + turns + pins + notes === 0
        ? '没有找到属于你的内容可以忘记。用 `记忆 列表` 查看我记得的内容。'
        : `已忘记：${observations} 条记忆、${pins} 个固定项、${turns} 个问题及其回答、${notes} 份摘要。平台上的消息我无法删除，请在平台上自行删除。`,
    exported: (observations, pins) => `${observations} 条记忆和 ${pins} 个固定项：`,
    noted: '你说的内容我已记下，可用 `memory list` 查看。',
    pinned: (id, text) => `已固定为 \`${id}\`：${text}`,
    proposed: (id, text) => `要让这里的所有回答都考虑“${text}”吗？请说“是”，或以后说 \`记忆 固定 确认 ${id}\`。`,
    waitsForYes: (id) => `等待 \`记忆 固定 确认 ${id}\``,
    pinsListed: (count) => `这里有 ${count} 个固定项：`,
    noPins: '这里没有固定项。用 `记忆 固定 内容` 添加。',
    unpinned: (text) => `已取消固定：${text}`,
    tooManyPins: (limit) => `已有 ${limit} 个固定项，每个都会占用回答的篇幅。请先用 \`记忆 取消固定 编号\` 去掉一个。`,
    tooLong: (length, limit) => `我最多记录 ${limit} 个字符，这段有 ${length} 个。请缩短。`,
    secret: '这看起来像密码或密钥。我不保存机密，请去掉它。',
    unfit: '我只记录你自己的事实和要求，不记录针对我的规则或他人的命令。',
    shareHereInChannel: '请在要共享的频道里这样说。',
    confirmShare: (id, to) =>
      `${to === 'here' ? '能看到本频道的所有人' : '本工作区的所有人'}都将可以看到它。同意请说 \`记忆 共享 ${id} ${to === 'here' ? '这里' : '工作区'} 确认\`。`,
    shared: (id, to, text) => `已与${to === 'here' ? '本频道' : '本工作区'}共享 \`${id}\`：${text}`,
    linkInPrivate: '账号只能在私信中关联。',
    linkCode: (code, minutes) =>
      `你的验证码是 \`${code}\`。请在 ${minutes} 分钟内，在另一个平台的私信中发给我 \`记忆 关联 ${code}\`。只能使用一次，请勿给别人看。`,
    linked: '已关联。私信中我会在两个平台上认出你。用 `记忆 取消关联` 撤销。',
    linkUnknown: '我不认识这个验证码：已使用、超过十分钟或有误。用 `记忆 关联` 获取新的。',
    linkSameChannel: '每个平台只能关联一个账号。用 `记忆 取消关联` 解除。',
    unlinked: '这个账号没有与其他账号关联。',
  },
};

const CATALOGUE: Readonly<Record<Language, Texts>> = { en, zh };

export const textsFor = (language: Language): Texts => CATALOGUE[language];
