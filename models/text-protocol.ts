/**
 * Tools for models that have no calls of their own: a call is a line of text, `Action: name with input {json}`, and a result comes
 * back as an observation. The line is read strictly; what cannot be read goes back as an observation that says why.
 */
import { parseArguments } from '../agent/arguments.ts';
import type { ChatMessage } from '../agent/messages.ts';
import type {
  ModelCallOptions,
  ModelProvider,
  ModelRequest,
  ModelTurn,
  RawToolCall,
  ToolSpec,
} from '../agent/ports/model-provider.ts';

const FORM = 'Action: name with input {"argument": "value"}';
const ACTION = /^[ \t]*Action[ \t]*:[ \t]*(.*)$/imu;
const CALL = /^([\w.-]{1,64})[ \t]+with[ \t]+input[ \t]*(\{[\s\S]*)$/iu;
const OBSERVATION = 'Observation';

const protocolFor = (tools: readonly ToolSpec[]): string =>
  [
    'You can use tools. To use one, write one line in exactly this form and nothing after it:',
    FORM,
    `The input is one JSON object on one line. The result comes back as a message that begins with "${OBSERVATION}". Use one tool at a time.`,
    'When you can answer, write the answer alone, without an Action line.',
    'The tools, each with the JSON schema of its input:',
    ...tools.map(({ name, description, parameters }) => `- ${name}: ${description} ${JSON.stringify(parameters)}`),
  ].join('\n');

const actionLine = (name: string, args: string): string => `Action: ${name} with input ${args}`;

/** Messages that hold no call and no tool role. */
export const toTextMessages = (messages: readonly ChatMessage[], tools: readonly ToolSpec[]): readonly ChatMessage[] => {
  const out: ChatMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        out.push(tools.length === 0 ? message : { role: 'system', content: `${message.content}\n\n${protocolFor(tools)}` });
        break;
      case 'assistant': {
        const lines = message.toolCalls.map((call) => actionLine(call.name, call.arguments));
        out.push({
          role: 'assistant',
          content: [message.content, ...lines].filter((text) => text !== '').join('\n'),
          toolCalls: [],
        });
        break;
      }
      case 'tool': {
        const content = `${OBSERVATION} (${message.name}): ${message.content}`;
        const before = out.at(-1);
        // Results of one turn are one message: some models want people and assistants to take turns.
        if (before?.role === 'user' && before.content.startsWith(OBSERVATION)) {
          out[out.length - 1] = { ...before, content: `${before.content}\n${content}` };
        } else out.push({ role: 'user', content });
        break;
      }
      case 'user':
        out.push(message);
    }
  }
  return out;
};

/** The end of the JSON object that the text begins with; undefined when it is not closed. */
const objectEnd = (text: string): number | undefined => {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return undefined;
};

const unreadable = (name: string, problem: string): RawToolCall => ({
  name,
  arguments: '{}',
  problem: `${problem} The form is: ${FORM}`,
});

/** The call in a model's text; undefined where the text is an answer. Nothing is repaired. */
export const readAction = (text: string): { readonly before: string; readonly call: RawToolCall } | undefined => {
  const action = ACTION.exec(text);
  if (action === null) return undefined;
  const before = text.slice(0, action.index).trim();
  const rest = text.slice(action.index).replace(/^[ \t]*Action[ \t]*:[ \t]*/iu, '');
  const made = CALL.exec(rest);
  if (made === null) return { before, call: unreadable('action', 'The Action line could not be read.') };
  const [, name = '', tail = ''] = made;
  const end = objectEnd(tail);
  if (end === undefined) return { before, call: unreadable(name, 'The input is not complete JSON.') };
  if (tail.slice(end).trim() !== '') {
    return { before, call: unreadable(name, 'Nothing may stand behind the input, and no Observation may be written by you.') };
  }
  const parsed = parseArguments(tail.slice(0, end));
  return { before, call: parsed.ok ? { name, arguments: tail.slice(0, end) } : unreadable(name, parsed.advice) };
};

/** Passes text on line by line until a line begins that is, or may become, an Action. */
const createLineGate = (emit: (delta: string) => void): { push(delta: string): void; flush(): void } => {
  let line = '';
  let closed = false;
  const mayBeAction = (): boolean => {
    const start = line.trimStart().toLowerCase();
    return 'action'.startsWith(start) || start.startsWith('action');
  };
  return {
    push: (delta) => {
      for (const char of delta) {
        if (closed) return;
        const held = mayBeAction();
        line += char;
        if (/^[ \t]*action[ \t]*:/iu.test(line)) closed = true;
        else if (!mayBeAction() || char === '\n') emit(held ? line : char);
        if (char === '\n') line = '';
      }
    },
    flush: () => {
      if (!closed && line !== '' && mayBeAction()) emit(line);
    },
  };
};

export const createTextProtocol = (model: ModelProvider): ModelProvider => ({
  id: model.id,
  ask: async (request: ModelRequest, options: ModelCallOptions): Promise<ModelTurn> => {
    const gate = createLineGate((delta) => options.onText?.(delta));
    const turn = await model.ask(
      { messages: toTextMessages(request.messages, request.tools), tools: [] },
      { signal: options.signal, onText: gate.push },
    );
    const action = turn.finishReason === 'stop' ? readAction(turn.text) : undefined;
    if (action === undefined) {
      gate.flush();
      return turn;
    }
    return { ...turn, text: action.before, toolCalls: [action.call], finishReason: 'tool_calls' };
  },
});
