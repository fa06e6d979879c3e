/** Our history in the form of the chat completions API. */
import type { ChatMessage } from '../agent/messages.ts';
import type { ToolSpec } from '../agent/ports/model-provider.ts';
import { DEFAULT_PROFILE, type ProviderProfile } from './provider-profile.ts';

type Json = Readonly<Record<string, unknown>>;

const MAX_NAME_CHARS = 40;

/** The API's own `name` field refuses most people's names; so a speaker stands before the text, on one short line. */
const spoken = (name: string, content: string): string =>
  `${name
    .replace(/[\p{C}\s:]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed()}: ${content}`;

/** The text beside tool calls. Empty text is no text to some endpoints and a missing field to others. */
const contentOf = (content: string, { emptyContent }: ProviderProfile): Json => {
  if (content !== '') return { content };
  return emptyContent === 'omit' ? {} : { content: emptyContent === 'json_null' ? null : '' };
};

/** Speakers are named only where several take part. */
export const toApiMessages = (messages: readonly ChatMessage[], profile: ProviderProfile = DEFAULT_PROFILE): Json[] => {
  const speakers = new Set(messages.flatMap((message) => (message.role === 'user' && message.name ? [message.name] : [])));
  return messages.map((message): Json => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: message.content };
      case 'user':
        return {
          role: 'user',
          content: speakers.size > 1 && message.name ? spoken(message.name, message.content) : message.content,
        };
      case 'assistant':
        if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content };
        return {
          role: 'assistant',
          ...contentOf(message.content, profile),
          ...(profile.echoReasoning && message.reasoning !== undefined ? { reasoning_content: message.reasoning } : {}),
          tool_calls: message.toolCalls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        };
      case 'tool':
        return { role: 'tool', tool_call_id: message.callId, content: message.content };
    }
  });
};

export const toApiTools = (tools: readonly ToolSpec[]): Json[] =>
  tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }));
