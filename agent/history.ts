/**
 * The one normaliser of history, run on load and before each request. What a crash, an abort, a cut or another program left is
 * repaired: every call has one result right behind it, ids are unique, names and arguments are what providers take, text is
 * well-formed, and no message is empty.
 */
import { canonicalJson, parseArguments } from './arguments.ts';
import type { Turn } from './conversation.ts';
import type { ChatMessage, ToolCall } from './messages.ts';
import { unpairedRemoved } from './unicode.ts';

export type RepairRule =
  | 'result_lost'
  | 'result_orphaned'
  | 'result_misplaced'
  | 'id_repeated'
  | 'name_invalid'
  | 'arguments_invalid'
  | 'text_malformed'
  | 'message_empty'
  | 'users_adjacent';

type Assistant = Extract<ChatMessage, { role: 'assistant' }>;
type Result = Extract<ChatMessage, { role: 'tool' }>;

/** Told in place of a result that nobody has: whether the call happened is not known. */
const LOST = JSON.stringify({
  ok: false,
  kind: 'internal',
  retryable: false,
  did_it_happen: 'unknown',
  advice: 'The result of this call was lost. Whether it happened is not known; check before you make it again.',
});

const VALID_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A name that providers take, whatever the model wrote. */
export const validName = (name: string): string =>
  VALID_NAME.test(name) ? name : name.replaceAll(/[^a-zA-Z0-9_-]+/gu, '_').slice(0, 64) || 'unnamed';

export interface Normalised {
  readonly messages: readonly ChatMessage[];
  /** What was wrong, in order, each time; empty for a valid history, which is handed back as it is. */
  readonly repairs: readonly RepairRule[];
}

/**
 * One for a run: a message that was found in order is not looked at again. Adjacent messages of one speaker become one, since some
 * providers want users and assistants to take turns.
 */
export const createNormaliser = (): ((messages: readonly ChatMessage[]) => Normalised) => {
  const known = new WeakSet<ChatMessage>();

  return (messages) => {
    const repairs: RepairRule[] = [];
    const usedIds = new Set<string>();
    let minted = 0;

    const wellFormed = (text: string): string => {
      if (text.isWellFormed()) return text;
      repairs.push('text_malformed');
      return unpairedRemoved(text);
    };

    const freshId = (id: string): string => {
      if (id !== '' && !usedIds.has(id)) {
        usedIds.add(id);
        return id;
      }
      repairs.push('id_repeated');
      for (;;) {
        minted += 1;
        const candidate = `call_r${minted}`;
        if (usedIds.has(candidate)) continue;
        usedIds.add(candidate);
        return candidate;
      }
    };

    const callOf = (call: ToolCall, isKnown: boolean): ToolCall => {
      const id = freshId(call.id);
      if (isKnown) return id === call.id ? call : { ...call, id };
      const name = validName(call.name);
      if (name !== call.name) repairs.push('name_invalid');
      const parsed = parseArguments(call.arguments);
      const valid = parsed.ok && call.arguments.trim() !== '';
      if (!valid) repairs.push('arguments_invalid');
      const text = parsed.ok ? (valid ? call.arguments : '{}') : '{}';
      return { id, name, arguments: wellFormed(text.isWellFormed() || !parsed.ok ? text : canonicalJson(parsed.value)) };
    };

    /** Results by the id they name, in order: a repeated id's first result is its first call's. */
    const results = new Map<string, { readonly message: Result; readonly at: number }[]>();
    for (const [at, message] of messages.entries()) {
      if (message.role !== 'tool') continue;
      const queue = results.get(message.callId) ?? [];
      queue.push({ message, at });
      results.set(message.callId, queue);
    }

    const out: ChatMessage[] = [];
    const addAssistant = (message: Assistant, at: number): void => {
      const content = wellFormed(message.content);
      if (message.toolCalls.length === 0) {
        if (content.trim() === '') return void repairs.push('message_empty');
        out.push(content === message.content ? message : { ...message, content });
        return;
      }
      const isKnown = known.has(message);
      const calls = message.toolCalls.map((call) => callOf(call, isKnown));
      const same = content === message.content && calls.every((call, i) => call === message.toolCalls[i]);
      const kept = same || (content === message.content && calls.every((call, i) => sameCall(call, message.toolCalls[i])));
      const assistant = kept ? message : { ...message, content, toolCalls: calls };
      known.add(assistant);
      out.push(assistant);
      for (const [index, call] of (kept ? message.toolCalls : calls).entries()) {
        const original = message.toolCalls[index] as ToolCall;
        const found = results.get(original.id)?.shift();
        if (found === undefined) repairs.push('result_lost');
        else if (found.at !== at + 1 + index) repairs.push('result_misplaced');
        const result = found?.message ?? { role: 'tool', callId: call.id, name: call.name, content: LOST };
        const text = wellFormed(result.content);
        const unchanged = text === result.content && result.callId === call.id && result.name === call.name;
        out.push(unchanged ? result : { role: 'tool', callId: call.id, name: call.name, content: text });
      }
    };

    const addUser = (message: Extract<ChatMessage, { role: 'user' }>): void => {
      const content = wellFormed(message.content);
      if (content.trim() === '') return void repairs.push('message_empty');
      const before = out.at(-1);
      if (before?.role === 'user' && before.name === message.name) {
        repairs.push('users_adjacent');
        out[out.length - 1] = { ...before, content: `${before.content}\n\n${content}` };
        return;
      }
      out.push(content === message.content ? message : { ...message, content });
    };

    for (const [at, message] of messages.entries()) {
      if (message.role === 'assistant') addAssistant(message, at);
      else if (message.role === 'user') addUser(message);
      else if (message.role === 'system') {
        const content = wellFormed(message.content);
        out.push(content === message.content ? message : { ...message, content });
      }
    }
    for (const queue of results.values()) for (const _ of queue) repairs.push('result_orphaned');
    return repairs.length === 0 ? { messages, repairs } : { messages: out, repairs };
  };
};

const sameCall = (a: ToolCall, b: ToolCall | undefined): boolean =>
  b !== undefined && a.id === b.id && a.name === b.name && a.arguments === b.arguments;

/** A stored turn as it should have been stored; the same object when nothing is wrong with it. */
export const repairTurn = (turn: Turn): Turn => {
  const { question, speaker, answer } = turn;
  if (question.isWellFormed() && speaker.isWellFormed() && answer.text.isWellFormed()) return turn;
  return {
    ...turn,
    question: unpairedRemoved(question),
    speaker: unpairedRemoved(speaker),
    answer: { ...answer, text: unpairedRemoved(answer.text) },
  };
};
