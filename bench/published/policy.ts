/**
 * The model: a small state machine that knows nothing but the messages of its request. It calls for what it needs and does not
 * see, reacts to failures in the published shares, and repeats itself, where it is sticky, until it reads that it does.
 */
import type { ModelPolicy, ModelRequestBody } from '../../simulator/model-policy.ts';
import type { ScriptedReply } from '../../simulator/model-script.ts';
import { draw, type Task, taskIdIn, valueOf } from './plan.ts';

/** After a failed call: it makes the call again, takes another way, or gives up (write-up 003). */
export const REACTIONS = { repairs: 0.73, switches: 0.18, givesUp: 0.09 } as const;

/** A need is not called for more often than this. */
const MAX_ATTEMPTS = 4;

interface Call {
  readonly x: string;
  readonly result: string;
}

interface ApiMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

const argumentIn = (text: string): string => /"x":"([^"]*)/u.exec(text)?.[1] ?? '';

/** The calls since the question with their results. Arguments that a loop has emptied are told by their place: calls come one by one. */
const callsIn = (messages: readonly ApiMessage[]): Call[] => {
  const results = new Map(messages.map((message) => [message.tool_call_id, String(message.content)]));
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, function: made }) => ({ x: argumentIn(made.arguments), result: results.get(id) ?? '' }));
};

const hasFailed = (result: string): boolean => result.startsWith('{"ok":false') || result.startsWith('Error');
const isNotice = (result: string): boolean => result.includes('"kind":"repeated"');
const isFinal = (result: string): boolean => /"kind":"(?:not_found|denied|set_aside)"|does not exist/u.test(result);

export interface PolicyOptions {
  readonly seed: number;
  readonly tasks: ReadonlyMap<string, Task>;
  /** Of one call: its arguments are cut off. */
  readonly malformed: number;
  /** Sticky models keep to a failing call as well. */
  readonly keepsToFailures?: boolean;
}

export const createTaskPolicy = ({ seed, tasks, malformed, keepsToFailures = false }: PolicyOptions): ModelPolicy => {
  const callFor = (x: string, attempt: number): ScriptedReply => {
    const args = JSON.stringify({ x });
    const isMalformed = draw(seed, `malformed ${x} ${attempt}`) < malformed;
    return { calls: [{ name: 'lookup', arguments: isMalformed ? args.slice(0, -2) : args }] };
  };

  return ({ messages, tools = [] }: ModelRequestBody): ScriptedReply => {
    const asked = messages.findLastIndex(({ role, content }) => role === 'user' && taskIdIn(String(content)) !== undefined);
    const task = tasks.get(taskIdIn(String(messages[asked]?.content)) ?? '');
    if (task === undefined) return { text: '[unknown] I do not see a task.' };
    const since = messages.slice(asked + 1) as readonly ApiMessage[];
    const made = callsIn(since);
    const text = since.map(({ content }) => String(content)).join('\n');
    const answer = (): ScriptedReply => {
      const found = task.needs.map(({ x }) => valueOf(x)).filter((value) => text.includes(value));
      const seen = task.recalls !== undefined && messages.some(({ content }) => String(content).includes(task.recalls as string));
      const recalled = seen ? [`You said ${task.recalls}.`] : [];
      const result = found.length === 0 ? 'I could not find it out.' : `Found: ${found.join(', ')}.`;
      return { text: [result, ...recalled].join(' ') };
    };
    if (tools.length === 0) return answer();

    const first = task.needs[0]?.x ?? '';
    const last = made.at(-1);
    const stays = task.isSticky && last !== undefined && (!hasFailed(last.result) || keepsToFailures);
    if (stays && !made.some(({ result }) => isNotice(result))) return callFor(first, 1);

    // What a malformed call was for: the need it stood between.
    let open = 0;
    const attempts = new Map<string, string[]>();
    for (const { x, result } of made) {
      const need = x === '' ? (task.needs[open]?.x ?? '') : x;
      attempts.set(need, [...(attempts.get(need) ?? []), result]);
      open = Math.max(
        open,
        task.needs.findIndex((item) => item.x === need),
      );
      if (!hasFailed(result)) open += 1;
    }
    for (const { x } of task.needs) {
      const results = attempts.get(x) ?? [];
      if (results.some((result) => result.includes(valueOf(x)))) continue;
      const lastResult = results.at(-1);
      if (lastResult === undefined) return callFor(x, 1);
      if (isFinal(lastResult) || isNotice(lastResult) || results.length >= MAX_ATTEMPTS) continue;
      const reaction = draw(seed, `reaction ${x} ${results.length}`);
      if (reaction < REACTIONS.repairs) return callFor(x, results.length + 1);
      if (reaction < REACTIONS.repairs + REACTIONS.switches) continue;
      return answer();
    }
    return answer();
  };
};
