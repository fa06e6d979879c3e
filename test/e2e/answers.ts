/**
 * Asks the questions of one base of test/fixtures/answers the way the command line does, and judges what comes back: by the
 * cited source and by the words of the quote, never by the wording of the answer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Citation, Turn } from '../../agent/conversation.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { languageOf } from '../../agent/texts.ts';
import { type Core, openCore } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { EVERYONE, loadConfig } from '../../ops/config.ts';

export const BASES = ['english', 'chinese', 'mixed'] as const;
export type Base = (typeof BASES)[number];

/** One turn, or a first question with its follow-up; the last one is judged. */
export interface Unanswerable {
  readonly id: string;
  readonly ask: readonly string[];
}

export interface Answerable extends Unanswerable {
  /** A citation of any of these counts. */
  readonly sources: readonly string[];
  /** One quote holds an alternative of every list. */
  readonly facts: readonly (readonly string[])[];
}

export interface Questions {
  readonly answerable: readonly Answerable[];
  readonly unanswerable: readonly Unanswerable[];
}

export interface Asked {
  readonly id: string;
  readonly ask: readonly string[];
  readonly answers: readonly Answer[];
}

export interface Verdict {
  readonly id: string;
  /** Empty when all is as expected; else what was expected and what came. */
  readonly problem: string;
}

const quiet: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => quiet };

export const folderOf = (base: Base): string => join(import.meta.dirname, '..', 'fixtures', 'answers', base, 'docs');

export const readQuestions = (base: Base): Questions =>
  JSON.parse(readFileSync(join(folderOf(base), '..', 'questions.json'), 'utf8')) as Questions;

/** Over a throw-away store: every document is read; vectors are made only when asked for. */
export const openBase = async (base: Base, { withVectors }: { readonly withVectors: boolean }): Promise<Core> => {
  const config = loadConfig({ env: {}, readFile: () => undefined });
  const core = await openCore({ config, folder: ':memory:', vectorEngine: 'exact', clock: systemClock, logger: quiet });
  const outcome = await core.sync.syncPaths([folderOf(base)], { label: EVERYONE });
  const { documents } = await core.knowledge.countDocuments();
  const expected = readdirSync(folderOf(base)).length;
  if (outcome.failed.length > 0 || documents !== expected) {
    await core.close();
    throw new Error(`${base}: expected ${expected} documents, got ${documents}; failed: ${JSON.stringify(outcome.failed)}`);
  }
  if (withVectors) await core.embedding?.fill({});
  return core;
};

/** Every question in turn, each follow-up with the turns before it as its history. */
export const askAll = async (core: Core, { id, ask }: Unanswerable): Promise<Asked> => {
  const scope = { tenantId: 'local', channel: 'terminal', conversationId: `terminal:${id}`, userId: 'terminal:local' } as const;
  const history: Turn[] = [];
  for (const [index, question] of ask.entries()) {
    const turnId = `${id}:${index}`;
    const askedAt = systemClock.now();
    const { answer, steps, tools, usage, model } = await core.agent.run({
      turnId,
      scope,
      labels: [EVERYONE],
      question,
      speaker: 'you',
      history: [...history],
      language: languageOf(question),
      journal: { read: async () => [], write: async () => {} },
      signal: new AbortController().signal,
    });
    const { conversationId, userId } = scope;
    const answeredAt = systemClock.now();
    history.push({
      turnId,
      conversationId,
      userId,
      speaker: 'you',
      question,
      answer,
      steps,
      tools,
      usage,
      model,
      askedAt,
      answeredAt,
    });
  }
  return { id, ask, answers: history.map(({ answer }) => answer) };
};

export const fold = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

const show = ({ ask, answers }: Asked): string => {
  const last = answers.at(-1);
  const quotes = (last?.citations ?? []).map(({ source, quote }) => `      ${source}: ${fold(quote)}`);
  return [`${JSON.stringify(ask)} → ${last?.stopReason}: ${fold(last?.text ?? '').slice(0, 160)}`, ...quotes].join('\n');
};

export const judgeAnswerable = ({ id, sources, facts }: Answerable, asked: Asked): Verdict => {
  const last = asked.answers.at(-1);
  const right = (last?.citations ?? []).filter(({ source }) => sources.includes(source));
  const holds = ({ quote }: Citation): boolean =>
    facts.every((alternatives) => alternatives.some((fact) => fold(quote).includes(fact)));
  const fault = !last?.answered
    ? 'was refused'
    : right.length === 0
      ? `cites another source than ${sources.join(' or ')}`
      : right.some(holds)
        ? undefined
        : `quotes ${sources.join(' or ')} without ${JSON.stringify(facts)}`;
  return { id, problem: fault === undefined ? '' : `${id} ${fault}: ${show(asked)}` };
};

export const judgeUnanswerable = ({ id }: Unanswerable, asked: Asked): Verdict => {
  const refused = asked.answers.at(-1)?.answered === false;
  return { id, problem: refused ? '' : `${id} was answered: ${show(asked)}` };
};

/** A Markdown file as it is read: table rows without the frame that draws them; every word and inner bar stays. */
const withoutTableFrames = (markdown: string): string =>
  markdown
    .split('\n')
    .filter((line) => !/^\|[\s|:-]+\|$/u.test(line.trim()))
    .map((line) => line.trim().replace(/^\|(.*)\|$/u, '$1'))
    .join('\n');

/**
 * What is wrong with the citations of an answer: a quote that is not word for word in its passage, or, where a person can
 * open the file as text, in the file. Line breaks and runs of spaces count as one space.
 */
export const findForeignQuotes = async (core: Core, base: Base, answer: Answer): Promise<readonly string[]> => {
  const problems: string[] = [];
  for (const { chunkId, source, quote, n } of answer.citations) {
    const [passage] = await core.knowledge.readPassages([chunkId], [EVERYONE]);
    const isIn = (text: string): boolean => fold(text).includes(fold(quote));
    if (fold(quote) === '') problems.push(`${source} [${n}]: an empty quote`);
    else if (passage === undefined || passage.source !== source)
      problems.push(`${source} [${n}]: the passage is of ${passage?.source}`);
    else if (!passage.text.includes(quote)) problems.push(`${source} [${n}]: not in its passage: ${quote}`);
    else if (/\.(md|txt)$/u.test(source) && !isIn(withoutTableFrames(readFileSync(join(folderOf(base), source), 'utf8')))) {
      problems.push(`${source} [${n}]: not in its file: ${quote}`);
    }
  }
  return problems;
};
