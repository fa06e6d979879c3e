/**
 * Without a model key, over three knowledge bases that nothing was written to: sixty questions with an answer, twelve of them
 * follow-ups, and thirty without. The questions stand in test/fixtures/answers.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Core } from '../../main.ts';
import {
  type Asked,
  askAll,
  BASES,
  type Base,
  findForeignQuotes,
  fold,
  folderOf,
  judgeAnswerable,
  judgeUnanswerable,
  openBase,
  readQuestions,
  type Verdict,
} from './answers.ts';

/** What is aimed at, over all three bases. It is not reached yet: see the floors. */
const AIM = 0.9;
/** What was measured when the questions were first asked of the present rules, less one question: it may not fall below. */
const FLOORS = { answered: 47 / 60, refused: 25 / 30 } as const;
/** One base alone may do worse by chance. */
const FLOOR_OF_BASE = 0.6;

const assertShare = (verdicts: readonly Verdict[], floor: number, what: string): void => {
  const problems = verdicts.map(({ problem }) => problem).filter((problem) => problem !== '');
  const share = (verdicts.length - problems.length) / verdicts.length;
  assert.ok(
    share >= floor,
    `${what}: ${verdicts.length - problems.length} of ${verdicts.length}, expected a share of ${floor} at the least, ${AIM} is the aim\n${problems.join('\n')}`,
  );
};

for (const withVectors of [false, true]) {
  describe(`answers without a key, ${withVectors ? 'by words and vectors' : 'by words alone'}`, () => {
    const found: Verdict[] = [];
    const refused: Verdict[] = [];

    for (const base of BASES) {
      describe(base, () => {
        const { answerable, unanswerable } = readQuestions(base);
        const asked = new Map<string, Asked>();
        let core: Core;
        const answersTo = (id: string): Asked => {
          const answers = asked.get(id);
          assert.ok(answers !== undefined, `${id} was asked`);
          return answers;
        };

        before(async () => {
          core = await openBase(base, { withVectors });
          for (const question of [...answerable, ...unanswerable]) asked.set(question.id, await askAll(core, question));
        });
        after(() => core.close());

        it('a question that has an answer gets it from the right source, with the fact in the quote', (t) => {
          const verdicts = answerable.map((question) => judgeAnswerable(question, answersTo(question.id)));
          found.push(...verdicts);
          t.diagnostic(`${base}: ${verdicts.filter(({ problem }) => problem === '').length} of ${verdicts.length} answered`);
          assertShare(verdicts, FLOOR_OF_BASE, `${base}, answered`);
        });

        it('a question that has no answer is refused', (t) => {
          const verdicts = unanswerable.map((question) => judgeUnanswerable(question, answersTo(question.id)));
          refused.push(...verdicts);
          t.diagnostic(`${base}: ${verdicts.filter(({ problem }) => problem === '').length} of ${verdicts.length} refused`);
          assertShare(verdicts, FLOOR_OF_BASE, `${base}, refused`);
        });

        it('every quote stands word for word in its source', async () => {
          const problems: string[] = [];
          let quotes = 0;
          for (const { id, answers } of asked.values()) {
            for (const answer of answers) {
              quotes += answer.citations.length;
              problems.push(...(await findForeignQuotes(core, base, answer)).map((problem) => `${id}: ${problem}`));
            }
          }
          assert.deepEqual(problems, []);
          assert.ok(quotes >= answerable.length * FLOOR_OF_BASE, `expected quotes to check, got ${quotes}`);
        });

        it('no answer is empty, and one that is given has a citation', () => {
          for (const { id, answers } of asked.values()) {
            for (const { text, answered, citations } of answers) {
              assert.notEqual(text.trim(), '', id);
              assert.ok(!answered || citations.length > 0, `${id} is answered without a citation: ${text}`);
            }
          }
        });
      });
    }

    it('holds the measured share over the three bases together', () => {
      assert.equal(found.length, 60);
      assert.equal(refused.length, 30);
      assertShare(found, FLOORS.answered, 'all, answered');
      assertShare(refused, FLOORS.refused, 'all, refused');
    });
  });
}

describe('the questions', () => {
  const all = BASES.map((base) => ({ base, ...readQuestions(base) }));

  it('are twenty with and ten without an answer for each base, with at least ten follow-ups', () => {
    for (const { answerable, unanswerable } of all) {
      assert.equal(answerable.length, 20);
      assert.equal(unanswerable.length, 10);
    }
    const ids = all.flatMap(({ answerable, unanswerable }) => [...answerable, ...unanswerable].map(({ id }) => id));
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(all.flatMap(({ answerable }) => answerable).filter(({ ask }) => ask.length === 2).length >= 10);
  });

  it('expect facts that stand in the files they name', () => {
    for (const { base, answerable } of all) {
      for (const { id, sources, facts } of answerable) {
        for (const source of sources.filter((name) => /\.(md|txt|html|csv)$/u.test(name))) {
          const text = fold(readFileSync(join(folderOf(base), source), 'utf8'));
          for (const alternatives of facts) {
            assert.ok(
              alternatives.some((fact) => text.includes(fact)),
              `${id}: ${source} holds none of ${JSON.stringify(alternatives)}`,
            );
          }
        }
      }
    }
  });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('threadwise ask', () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-answers-'));
  after(() => rmSync(folder, { recursive: true }));

  /** From an empty folder, with no setting of ours in the environment. */
  const ask = (...args: string[]): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('THREADWISE_')));
      const launcher = join(import.meta.dirname, '..', '..', 'threadwise');
      const options = { cwd: folder, env, timeout: 30_000, killSignal: 'SIGKILL' } as const;
      const child = execFile(launcher, ['ask', ...args], options, (error, stdout, stderr) => {
        if (child.exitCode === null) reject(new Error(`ask did not end by itself: ${stderr}`, { cause: error }));
        else resolve({ code: child.exitCode, stdout, stderr });
      });
    });

  /** Checks the shape, which others read, and gives what differs from question to question. */
  const readJson = (stdout: string): { answered: unknown; stop: unknown; sources: unknown[]; tools: unknown } => {
    assert.match(stdout, /^\{.*\}\n$/u, 'one line on stdout');
    const json = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual(Object.keys(json).sort(), [
      'answer',
      'answered',
      'citations',
      'files',
      'ms',
      'steps',
      'stop_reason',
      'tools',
      'usage',
    ]);
    assert.ok(typeof json['answer'] === 'string' && json['answer'].trim() !== '');
    assert.equal(typeof json['answered'], 'boolean');
    assert.ok(Number.isInteger(json['steps']));
    assert.ok(typeof json['ms'] === 'number' && json['ms'] >= 0);
    assert.equal(typeof json['usage'], 'object');
    assert.ok(Array.isArray(json['tools']) && json['tools'].every((name) => typeof name === 'string'));
    const citations = json['citations'] as Record<string, unknown>[];
    for (const citation of citations) {
      assert.deepEqual(Object.keys(citation).sort(), ['n', 'quote', 'source', 'title']);
      assert.ok(Number.isInteger(citation['n']));
      for (const key of ['quote', 'source', 'title']) assert.ok(typeof citation[key] === 'string' && citation[key] !== '', key);
    }
    return {
      answered: json['answered'],
      stop: json['stop_reason'],
      sources: citations.map(({ source }) => source),
      tools: json['tools'],
    };
  };

  const answered: readonly (readonly [Base, string, string])[] = [
    ['english', 'What does the late fee cost?', 'billing-and-late-payments.md'],
    ['chinese', '夜班津贴是多少？', '考勤与加班管理办法.md'],
    ['mixed', 'StockFlow 库存预警默认是几天？', 'StockFlow-库存手册.md'],
  ];
  for (const [base, question, source] of answered) {
    it(`prints one object and exits 0 for what the ${base} base holds`, async () => {
      const { code, stdout, stderr } = await ask('--json', '--kb', folderOf(base), question);
      const { answered: known, stop, sources, tools } = readJson(stdout);
      assert.equal(code, 0, stderr);
      assert.equal(known, true);
      assert.equal(stop, 'answered');
      assert.ok(sources.includes(source), `expected ${source} among ${JSON.stringify(sources)}`);
      assert.deepEqual(tools, ['search_knowledge']);
    });
  }

  it('prints one object and exits 3 for what the base does not hold', async () => {
    const { code, stdout, stderr } = await ask('--json', '--kb', folderOf('english'), 'Who painted the Mona Lisa?');
    const { answered: known, stop, sources } = readJson(stdout);
    assert.equal(code, 3, stderr);
    assert.equal(known, false);
    assert.equal(stop, 'not_known');
    assert.deepEqual(sources, []);
  });

  it('takes a word that begins with a dash as the question', async () => {
    const { code, stdout, stderr } = await ask('--json', '--kb', folderOf('english'), '--late fee, how much?');
    assert.equal(code, 0, stderr);
    assert.ok(readJson(stdout).sources.includes('billing-and-late-payments.md'));
  });

  it('exits 64 with nothing on stdout when there is no question', async () => {
    const { code, stdout, stderr } = await ask('--json', '--kb', folderOf('english'));
    assert.equal(code, 64);
    assert.equal(stdout, '');
    assert.match(stderr, /expected a question/u);
  });

  it('exits 64 for an empty question and for a folder that is missing', async () => {
    const [empty, missing] = await Promise.all([
      ask('--json', '--kb', folderOf('english'), ''),
      ask('--json', '--kb', join(folder, 'none'), 'What does the late fee cost?'),
    ]);
    assert.equal(empty.code, 64, empty.stderr);
    assert.equal(readJson(empty.stdout).stop, 'empty_question');
    assert.equal(missing.code, 64, missing.stderr);
    assert.equal(missing.stdout, '');
  });
});
