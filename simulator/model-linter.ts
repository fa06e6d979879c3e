/** What a strict chat completions endpoint answers 400 to, found in a request and named. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parses = (text: unknown): unknown => {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** Every violation in words, in the order of the messages; empty for a valid request. */
export const lintRequest = (body: unknown): string[] => {
  const violations: string[] = [];
  const say = (at: number, what: string): void => void violations.push(`messages[${at}]: ${what}`);
  if (!isObject(body) || !Array.isArray(body.messages)) return ['messages: an array is expected'];
  if (body.messages.length === 0) violations.push('messages: empty');
  const seenIds = new Set<string>();
  let open = new Set<string>();
  for (const [at, message] of (body.messages as unknown[]).entries()) {
    if (!isObject(message) || !ROLES.has(String(message.role))) {
      say(at, 'unknown role');
      continue;
    }
    const { role, content } = message;
    if (role !== 'tool' && open.size > 0) {
      say(at, `calls without a result: ${[...open].join(', ')}`);
      open = new Set();
    }
    if (typeof content === 'string' && !content.isWellFormed()) say(at, 'lone surrogate');
    if (role === 'user' && (typeof content !== 'string' || content.trim() === '')) say(at, 'empty user message');
    if (role === 'tool') {
      const id = String(message.tool_call_id);
      if (!open.delete(id)) say(at, `result without a call: ${id}`);
      if (typeof content !== 'string') say(at, 'tool content is not text');
    }
    if (role !== 'assistant') continue;
    const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [];
    if (calls.length === 0 && (typeof content !== 'string' || content.trim() === '')) say(at, 'empty assistant message');
    for (const call of calls) {
      const id = isObject(call) ? String(call.id) : '';
      const made = isObject(call) && isObject(call.function) ? call.function : {};
      if (seenIds.has(id)) say(at, `call id used twice: ${id}`);
      seenIds.add(id);
      open.add(id);
      if (typeof made.name !== 'string' || !/^[\w-]{1,64}$/u.test(made.name)) say(at, 'call without a valid name');
      if (!isObject(parses(made.arguments))) say(at, 'arguments are not a JSON object');
      else if (!String(made.arguments).isWellFormed()) say(at, 'lone surrogate in arguments');
    }
  }
  if (open.size > 0) violations.push(`messages: calls without a result at the end: ${[...open].join(', ')}`);
  return violations;
};
