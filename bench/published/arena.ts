/** Sessions through both loops under one plan: in this process, on a clock whose waits cost nothing, with everything counted. */
import { z } from 'zod';
import type { Answer, Turn } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import { ALL_LAYERS, type LoopLayers } from '../../agent/layers.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { ChatMessage } from '../../agent/messages.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import type { CountTokens } from '../../agent/ports/window.ts';
import { SYSTEM_PROMPT } from '../../agent/system-prompt.ts';
import { fitWindow } from '../../memory/window.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import { createMemoryJournal } from '../faults/rig.ts';
import { createPolicyModel, type Latency, type RequestRecord } from './model.ts';
import { type NaiveTool, runNaive } from './naive-loop.ts';
import { documentOf, draw, type FaultPlan, isPermanent, type Task, valueOf } from './plan.ts';
import { createTaskPolicy } from './policy.ts';

export interface Session {
  readonly tasks: readonly Task[];
  /** The person asks the same again while there is no whole answer, after a minute, up to so many times. */
  readonly asksAgain?: number;
}

export interface Setting {
  readonly seed: number;
  readonly plan: FaultPlan;
  readonly sessions: readonly Session[];
  readonly documentChars?: number;
  readonly latency?: Latency;
  readonly countTokens?: CountTokens;
  readonly keepsToFailures?: boolean;
}

export interface NaiveSetting {
  readonly crashes?: boolean;
  readonly tries?: number;
  readonly maxSteps?: number;
}

export interface OurSetting {
  readonly layers?: Partial<LoopLayers>;
  readonly limits?: Partial<RunLimits>;
  /** Asked instead of the policy in this process, over real connections and so on a clock that moves by itself. */
  readonly over?: { readonly model: ModelProvider; readonly clock: Clock };
}

export interface RunRecord {
  readonly isComplete: boolean;
  readonly hasAnswer: boolean;
  readonly steps: number;
  readonly inputTokens: number;
  readonly tookMs: number;
  /** How often the call was made that was made most often with one result. */
  readonly mostRepeats: number;
}

export interface Tally {
  /** As the model wrote them, and those of them that gave it a result. */
  readonly calls: number;
  readonly succeeded: number;
  /** The tool was entered so often for something that does not exist, beyond once a call. */
  readonly permanentRetries: number;
  readonly runs: readonly RunRecord[];
  /** Of each session, whether its last run was complete. */
  readonly solved: readonly boolean[];
  /** Of each session, all that its requests sent and got. */
  readonly sessionTokens: readonly number[];
  readonly requests: readonly RequestRecord[];
}

const TIMEOUT_MS = 5_000;
const ASKED_AGAIN_MS = 60_000;
const HOST = '10.0.0.5:443';
const OUTPUT_TOKENS = 20;
const parameters = z.object({ x: z.string() });
const DESCRIPTION = 'Looks one thing up in the catalogue. Use it for every fact that a task needs.';

/** Moves time on whenever nothing but time is waited for. */
export const drive = async <Value>(clock: FakeClock, work: Promise<Value>): Promise<Value> => {
  let settled = false;
  const done = work.finally(() => {
    settled = true;
  });
  // The race keeps a rejection from being unhandled until it is awaited.
  done.catch(() => undefined);
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (settled) return done;
    await clock.advanceToNext();
  }
};

interface Counters {
  calls: number;
  succeeded: number;
  permanentRetries: number;
}

/** The tool of the world: what a try comes to is drawn by the try's own name. */
const createLookup = ({ seed, plan, documentChars = 200 }: Setting) => {
  const tries = new Map<string, number>();
  return {
    isMissing: (x: string): boolean => isPermanent(seed, plan, x),
    lookUp(x: string): string {
      const attempt = (tries.get(x) ?? 0) + 1;
      tries.set(x, attempt);
      if (isPermanent(seed, plan, x)) throw new AppError('tool_not_found', `The entry ${x} does not exist.`);
      if (draw(seed, `transient ${x} ${attempt}`) < plan.transient) {
        throw Object.assign(new Error(`read ECONNRESET ${HOST}`), { code: 'ECONNRESET' });
      }
      return documentOf(x, documentChars);
    },
  };
};

const isComplete = ({ needs, recalls = '' }: Task, answer: string | undefined): boolean =>
  answer !== undefined && needs.every(({ x }) => answer.includes(valueOf(x))) && answer.includes(recalls);

const repeatsIn = (made: readonly string[]): number => {
  const counts = new Map<string, number>();
  for (const call of made) counts.set(call, (counts.get(call) ?? 0) + 1);
  return Math.max(0, ...counts.values());
};

interface World {
  readonly clock: FakeClock;
  readonly model: ModelProvider;
  readonly requests: RequestRecord[];
  readonly lookup: ReturnType<typeof createLookup>;
}

const createWorld = (setting: Setting, malformed: number): World => {
  const clock = createFakeClock();
  const requests: RequestRecord[] = [];
  const tasks = new Map(setting.sessions.flatMap((session) => session.tasks).map((task) => [task.id, task]));
  const { seed, latency, countTokens, keepsToFailures } = setting;
  const policy = createTaskPolicy({
    seed,
    tasks,
    malformed,
    ...(keepsToFailures === undefined ? {} : { keepsToFailures }),
  });
  const model = createPolicyModel({
    policy,
    clock,
    ...(latency === undefined ? {} : { latency }),
    ...(countTokens === undefined ? {} : { countTokens }),
    onRequest: (record) => void requests.push(record),
  });
  return { clock, model, requests, lookup: createLookup(setting) };
};

/** One question: what was answered, and the calls with their results. */
type RunTask = (task: Task) => Promise<{ readonly answer: string | undefined; readonly made: readonly string[] }>;

/** `begin` is called for each session, for what a conversation keeps. */
const play = async (setting: Setting, world: World, counters: Counters, begin: () => RunTask): Promise<Tally> => {
  const { clock, requests } = world;
  const runs: RunRecord[] = [];
  const solved: boolean[] = [];
  const sessionTokens: number[] = [];
  for (const { tasks, asksAgain = 0 } of setting.sessions) {
    const runTask = begin();
    const before = requests.length;
    let complete = true;
    for (const task of tasks) {
      for (let asked = 0; asked <= asksAgain; asked += 1) {
        if (asked > 0) await drive(clock, clock.sleep(ASKED_AGAIN_MS));
        const from = requests.length;
        const startedAt = clock.monotonic();
        const { answer, made } = await drive(clock, runTask(task));
        const sent = requests.slice(from);
        complete = isComplete(task, answer);
        runs.push({
          isComplete: complete,
          hasAnswer: (answer ?? '').trim() !== '',
          steps: sent.length,
          inputTokens: sent.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
          tookMs: clock.monotonic() - startedAt,
          mostRepeats: repeatsIn(made),
        });
        if (complete) break;
      }
    }
    solved.push(complete);
    sessionTokens.push(requests.slice(before).reduce((sum, { inputTokens }) => sum + inputTokens + OUTPUT_TOKENS, 0));
  }
  return { ...counters, runs, solved, sessionTokens, requests };
};

/** The model writes its calls as text, as the accounts had it: `plan.malformed` of them are no JSON. */
export const playNaive = async (
  setting: Setting,
  { crashes = false, tries = 1, maxSteps = 8 }: NaiveSetting = {},
): Promise<Tally> => {
  const world = createWorld(setting, setting.plan.malformed);
  const counters: Counters = { calls: 0, succeeded: 0, permanentRetries: 0 };
  const tool: NaiveTool = {
    spec: {
      name: 'lookup',
      description: DESCRIPTION,
      parameters: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
    },
    run: async (args) => world.lookup.lookUp(parameters.parse(args).x),
  };
  const tally = await play(setting, world, counters, () => {
    const messages: ChatMessage[] = [{ role: 'system', content: SYSTEM_PROMPT }];
    return async (task) => {
      const made: string[] = [];
      const answer = await runNaive(messages, task.question, {
        model: world.model,
        tools: [tool],
        maxSteps,
        crashes,
        tries,
        onCall: (name, args, result, ok) => {
          counters.calls += 1;
          if (ok) counters.succeeded += 1;
          made.push(`${name} ${args} ${result}`);
        },
      });
      return { answer, made };
    };
  });
  return { ...tally, ...counters };
};

const turnOf = (id: string, question: string, answer: Answer): Turn => ({
  turnId: id,
  conversationId: 'terminal:local:1',
  userId: 'terminal:local',
  speaker: 'Local',
  question,
  answer,
  steps: 1,
  tools: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'policy',
  askedAt: 0,
  answeredAt: 0,
});

/** Ours, with the product's own limits unless the setting names others. `malformed`: of calls in the provider's own form. */
export const playOurs = async (setting: Setting, malformed: number, options: OurSetting = {}): Promise<Tally> => {
  const world = createWorld(setting, malformed);
  const counters: Counters = { calls: 0, succeeded: 0, permanentRetries: 0 };
  let made: string[] = [];
  const lookup: Tool<z.infer<typeof parameters>> = {
    name: 'lookup',
    description: DESCRIPTION,
    parameters,
    effect: 'read',
    timeoutMs: TIMEOUT_MS,
    run: async ({ x }) => {
      made.push(x);
      return world.lookup.lookUp(x);
    },
  };
  const agent = createAgent({
    model: options.over?.model ?? world.model,
    tools: [lookup as Tool],
    clock: options.over?.clock ?? world.clock,
    logger: silentLogger,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    layers: { ...ALL_LAYERS, ...options.layers },
    windowTokens: 16_000,
    fitWindow,
    countTokens: setting.countTokens ?? ((text) => Math.ceil(text.length / 4)),
    random: () => 0.5,
  });
  let serial = 0;
  const tally = await play(setting, world, counters, () => {
    const history: Turn[] = [];
    return async (task) => {
      serial += 1;
      made = [];
      const called: string[] = [];
      const { answer } = await agent.run({
        turnId: `turn-${serial}`,
        scope: { tenantId: 'local', channel: 'terminal', conversationId: 'terminal:local:1', userId: 'terminal:local' },
        labels: ['everyone'],
        question: task.question,
        speaker: 'Local',
        history,
        language: 'en',
        journal: createMemoryJournal(),
        signal: new AbortController().signal,
        onEvent: (event) => {
          if (event.type !== 'tool_finished') return;
          counters.calls += 1;
          if (event.ok) counters.succeeded += 1;
          called.push(event.code ?? 'ok');
        },
      });
      history.push(turnOf(`turn-${serial}`, task.question, answer));
      const missing = made.filter((x) => world.lookup.isMissing(x));
      counters.permanentRetries += missing.length - called.filter((code) => code === 'tool_not_found').length;
      return { answer: answer.text, made };
    };
  });
  return { ...tally, ...counters };
};
