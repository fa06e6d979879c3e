import { resolve } from 'node:path';
import type { Attachment } from '../agent/attachment.ts';
import { AppError, hasCode } from '../agent/errors.ts';
import { DEFAULT_LIMITS } from '../agent/limits.ts';
import type { RunResult } from '../agent/run.ts';
import { type Language, languageOf, textsFor } from '../agent/texts.ts';
import { safeLine, sanitiseAnswer } from '../bots/egress.ts';
import { withSources } from '../bots/egress-sources.ts';
import { keepLocally } from '../bots/local-files.ts';
import { toDiscordMarkdown } from '../bots/markdown-discord.ts';
import { toTerminalText } from '../bots/markdown-terminal.ts';
import type { SyncOutcome } from '../knowledge/sync.ts';
import { type Core, openCore, openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { type Config, EVERYONE, secretsOf } from '../ops/config.ts';
import { createLogger } from '../ops/log.ts';
import type { CommandIo } from './command.ts';

export const summary = 'answer one question and exit';

export const usage = `Usage: threadwise ask [--json] [--data DIR] [--kb DIR] "question"

Answers from the knowledge base of the data folder and exits.

  --json      prints one JSON object and nothing else
  --data DIR  the data folder to answer from
  --kb DIR    answers from this folder or file of documents instead, and keeps nothing
  --          what follows is the question, whatever it looks like

Any other argument is the question, also when it begins with a dash.
Exit codes: 0 answered, 3 not known, 64 usage, 69 a needed service is missing, 78 configuration, 1 our fault.
`;

interface Arguments {
  readonly json: boolean;
  readonly data: string | undefined;
  readonly kb: string | undefined;
  readonly question: string;
}

const parseArguments = (args: readonly string[]): Arguments => {
  const words: string[] = [];
  const folders = new Map<string, string>();
  let json = false;
  let isQuestion = false;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (isQuestion) words.push(argument);
    else if (argument === '--') isQuestion = true;
    else if (argument === '--json') json = true;
    else if (argument === '--data' || argument === '--kb') {
      const folder = args[++at];
      if (folder === undefined || folder === '')
        throw new AppError('usage', `ask: expected a folder after ${argument}, got nothing`);
      folders.set(argument, folder);
    } else words.push(argument);
  }
  if (words.length === 0)
    throw new AppError('usage', 'ask: expected a question, got none; for example threadwise ask "How long is the warranty?"');
  return { json, data: folders.get('--data'), kb: folders.get('--kb'), question: words.join(' ') };
};

/** A question that could not even be asked is a matter of usage, one that has no answer is not. */
const exitCodeOf = ({ answer }: RunResult): number => {
  if (answer.stopReason === 'empty_question' || answer.stopReason === 'question_too_long') return 64;
  if (answer.answered) return 0;
  if (answer.stopReason === 'failed') return 1;
  return answer.stopReason === 'model_unavailable' ? 69 : 3;
};

interface KeptFile extends Omit<Attachment, 'bytes'> {
  /** Null where nothing is kept. */
  readonly path: string | null;
}

/** Below the data folder, under a name of this moment's own. */
const keepFiles = (result: RunResult, folder: string, now: number): readonly KeptFile[] =>
  result.files.map(({ name, mediaType, description, bytes }, number) => ({
    name,
    mediaType,
    description: safeLine(description),
    path: folder === ':memory:' ? null : keepLocally(resolve(folder, 'files'), name, `${now.toString(36)}:${number}`, bytes),
  }));

const fileLines = (files: readonly KeptFile[], language: Language): string =>
  files
    .map(({ name, description, path }) => `\n${description}\n${path === null ? name : textsFor(language).files.kept(path)}\n`)
    .join('');

const toJson = (result: RunResult, files: readonly KeptFile[], language: Language): string => {
  // The sources stand in fields of their own; the note that a fallback answered stays with the answer.
  const answer = withSources({ ...sanitiseAnswer(result.answer), citations: [] }, { language, withQuotes: false });
  return JSON.stringify({
    answer: toDiscordMarkdown(answer),
    citations: result.answer.citations.map(({ n, title, source, quote }) => ({ n, title, source, quote })),
    files: files.map(({ name, mediaType, description, path }) => ({ name, media_type: mediaType, description, path })),
    answered: result.answer.answered,
    stop_reason: result.answer.stopReason,
    steps: result.steps,
    tools: result.tools,
    usage: { input_tokens: result.usage.inputTokens, output_tokens: result.usage.outputTokens },
    ms: Math.round(result.durationMs),
  });
};

interface Place {
  readonly config: Config;
  readonly folder: string;
  readonly kb: string | undefined;
}

/** A serving process keeps its folder in step by its own configuration; ours may name other documents. */
const takeDocumentsIn = async (core: Core, { config, folder, kb }: Place, io: CommandIo): Promise<SyncOutcome['failed']> => {
  if (kb !== undefined) {
    try {
      return (await core.sync.syncPaths([resolve(io.cwd, kb)], { label: EVERYONE })).failed;
    } catch (error) {
      throw hasCode(error, 'source_unreadable') ? new AppError('usage', error.message, { cause: error }) : error;
    }
  }
  const { isServed } = await import('../store/sqlite.ts');
  if (isServed(folder)) return [];
  const folders = config.knowledge.folders.map((path) => resolve(io.cwd, path));
  return (await core.syncConfigured(folders, { label: config.knowledge.label })).failed;
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const { json, data, kb, question } = parseArguments(args);
  const config = await readConfig(io);
  const clock = systemClock;
  const logger = createLogger({
    level: config.log.level === 'debug' ? 'debug' : 'error',
    format: 'pretty',
    secrets: secretsOf(config),
    clock,
    write: (line) => io.stderr.write(line),
  });
  const folder = kb === undefined ? openDataFolder(data ?? config.dataDir, io.cwd) : ':memory:';
  const core = await openCore({
    config: kb === undefined ? config : { ...config, databases: [] },
    folder,
    vectorEngine: 'exact',
    clock,
    logger,
  });
  try {
    await core.checkIndex();
    for (const { source, reason } of await takeDocumentsIn(core, { config, folder, kb }, io))
      io.stderr.write(`threadwise: ${source}: ${reason}\n`);
    const language = languageOf(question.slice(0, DEFAULT_LIMITS.questionChars));
    const result = await core.agent.run({
      turnId: 'ask',
      scope: { tenantId: 'local', channel: 'terminal', conversationId: 'terminal:ask', userId: 'terminal:local' },
      labels: [EVERYONE, ...Object.keys(config.audiences)],
      question,
      speaker: 'you',
      history: [],
      language,
      journal: { read: async () => [], write: async () => {} },
      signal: new AbortController().signal,
    });
    const files = keepFiles(result, folder, clock.now());
    if (json) io.stdout.write(`${toJson(result, files, language)}\n`);
    else {
      const width = io.stdout.isTTY ? Math.min(io.stdout.columns, 100) : 0;
      const colour = io.stdout.isTTY && !io.env['NO_COLOR'];
      const tree = withSources(sanitiseAnswer(result.answer), { language, withQuotes: false });
      io.stdout.write(`${toTerminalText(tree, { colour, width })}\n${fileLines(files, language)}`);
    }
    return exitCodeOf(result);
  } finally {
    await core.close();
  }
};
