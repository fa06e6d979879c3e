/**
 * Public conversations with questions and the entries that answer them: LoCoMo (two people who chat for months) and the memory
 * track of BFCL (a customer's messages). They lie beside the repository.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';

export const DATA_FOLDER = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly speaker: string;
  /** The short entry before, of the same session; may be empty. */
  readonly before: string;
  readonly session: string;
  readonly saidAt: number;
}

export interface RecallQuestion {
  readonly text: string;
  /** Ids of the entries that hold the answer. */
  readonly evidence: readonly string[];
}

export interface RecallSet {
  readonly name: string;
  /** The weights of the ranking were chosen on such sets; the others were in sight meanwhile, so none is unseen. */
  readonly isTuning: boolean;
  readonly entries: readonly Entry[];
  readonly questions: readonly RecallQuestion[];
}

const readText = (path: string): string => {
  const file = join(DATA_FOLDER, path);
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError('source_missing', `expected the public data at ${file}, got none`, { cause });
  }
};

const readLines = <Schema extends z.ZodType>(path: string, schema: Schema): readonly z.infer<Schema>[] =>
  readText(path)
    .trim()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)));

const turnSchema = z.object({ speaker: z.string(), dia_id: z.string(), text: z.string() });
const locomoSchema = z.array(
  z.object({
    qa: z.array(z.object({ question: z.string(), evidence: z.array(z.string()).default([]) })),
    conversation: z.record(z.string(), z.unknown()),
  }),
);
const errataSchema = z.array(
  z.object({ question_id: z.string(), error_type: z.string(), correct_evidence: z.array(z.string()).nullish() }),
);

/** `1:56 pm on 8 May, 2023`, taken as UTC. */
const timeOf = (text: string): number => {
  const [, hour = '', minute = '', half = '', day = ''] = /^(\d+):(\d+) (am|pm) on (.+)$/u.exec(text) ?? [];
  const midnight = Date.parse(`${day.replace(',', '')} UTC`);
  return midnight + ((Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * 3_600_000 + Number(minute) * 60_000;
};

/** Conversations 1 to 5, without the questions whose key is wrong beyond the citation. */
export const readLocomo = (): readonly RecallSet[] => {
  const errata = new Map(errataSchema.parse(JSON.parse(readText('locomo/errata.json'))).map((one) => [one.question_id, one]));
  return locomoSchema.parse(JSON.parse(readText('locomo/conversations-1-5.json'))).map(({ qa, conversation }, at) => {
    const entries: Entry[] = [];
    for (let session = 1; `session_${session}_date_time` in conversation; session += 1) {
      const saidAt = timeOf(z.string().parse(conversation[`session_${session}_date_time`]));
      let before = '';
      for (const { speaker, dia_id, text } of z.array(turnSchema).parse(conversation[`session_${session}`] ?? [])) {
        entries.push({ id: dia_id, text, speaker, before, session: `session ${session}`, saidAt });
        before = text;
      }
    }
    const known = new Set(entries.map(({ id }) => id));
    const questions = qa.flatMap(({ question, evidence }, index): readonly RecallQuestion[] => {
      const wrong = errata.get(`locomo_${at}_qa${index}`);
      if (wrong !== undefined && wrong.error_type !== 'WRONG_CITATION') return [];
      const cited = (wrong?.correct_evidence ?? evidence).flatMap((ids) => ids.match(/D\d+:\d+/gu) ?? []);
      const ids = [...new Set(cited)].filter((id) => known.has(id));
      return ids.length === 0 ? [] : [{ text: question, evidence: ids }];
    });
    return { name: `conversation ${at + 1}`, isTuning: at === 2 || at === 3, entries, questions };
  });
};

const messagesSchema = z.array(z.array(z.object({ role: z.string(), content: z.string() })));
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const SCENARIOS = ['customer', 'finance', 'healthcare', 'notetaker', 'student'] as const;
const TUNED_ON: readonly string[] = ['customer', 'notetaker'];

/** The questions each of whose cited pieces occurs in one turn of the user. */
export const readBfclMemory = (): readonly RecallSet[] => {
  const asked = readLines(
    'bfcl/BFCL_v4_memory.json',
    z.object({ id: z.string(), question: messagesSchema, scenario: z.string() }),
  );
  const sources = new Map(
    readLines('bfcl/possible_answer/BFCL_v4_memory.json', z.object({ id: z.string(), source: z.string().optional() })).map(
      ({ id, source = '' }) => [id, source.split('...').map(plain).filter(Boolean)],
    ),
  );
  return SCENARIOS.map((name) => {
    const entries: Entry[] = [];
    const path = `bfcl/memory_prereq_conversation/memory_${name}.json`;
    for (const [session, { question }] of readLines(path, z.object({ question: messagesSchema })).entries()) {
      let before = '';
      for (const [turn, messages] of question.entries()) {
        const text = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n');
        entries.push({ id: `${session}:${turn}`, text, speaker: 'user', before, session: `session ${session}`, saidAt: 0 });
        before = text;
      }
    }
    const texts = entries.map(({ id, text }) => ({ id, text: plain(text) }));
    const questions = asked
      .filter(({ scenario }) => scenario === name)
      .flatMap(({ id, question }): readonly RecallQuestion[] => {
        const pieces = sources.get(id) ?? [];
        const source = pieces.length === 0 ? undefined : texts.find(({ text }) => pieces.every((piece) => text.includes(piece)));
        return source === undefined ? [] : [{ text: question[0]?.[0]?.content ?? '', evidence: [source.id] }];
      });
    return { name, isTuning: TUNED_ON.includes(name), entries, questions };
  });
};
