/**
 * Slack's message text as plain text: entities decoded, mentions by name, links with their address. Text that stands only in
 * blocks or attachments (pasted tables, forwarded messages) is read from there.
 * https://docs.slack.dev/messaging/formatting-message-text
 */

/** The parts of a message event that carry text, as they come from outside. */
export interface MessageContent {
  readonly text?: unknown;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
}

export interface TextOptions {
  readonly botUserId: string;
  /** The name of a mentioned person, or undefined when it is not known. */
  readonly nameOf: (userId: string) => string | undefined;
}

const MAX_DEPTH = 12;

/** One `<…>` of Slack's. What people type themselves comes as `&lt;…&gt;`, so it is never one. */
const TOKEN = /<([^<>\n]+)>/g;
const USER_TOKEN = /^@([UWB][A-Z0-9]+)(?:\|(.*))?$/;
const LEADING_MENTION = /^\s*<@([UWB][A-Z0-9]+)(?:\|[^<>]*)?>/;

const decodeEntities = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

type Fields = Readonly<Record<string, unknown>>;
const asFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const joinLines = (lines: readonly string[]): string => lines.filter((line) => line.trim() !== '').join('\n');
const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Rich text back into the form of `text`, with its tokens. */
const readRichText = (value: unknown, depth = 0): string => {
  const node = asFields(value);
  if (node === undefined || depth > MAX_DEPTH) return '';
  switch (node['type']) {
    case 'text':
      return escapeText(asText(node['text']));
    case 'user':
      return `<@${asText(node['user_id'])}>`;
    case 'channel':
      return `<#${asText(node['channel_id'])}>`;
    case 'broadcast':
      return `<!${asText(node['range'])}>`;
    case 'emoji':
      return `:${asText(node['name'])}:`;
    case 'link': {
      const label = asText(node['text']);
      return `<${asText(node['url'])}${label === '' ? '' : `|${escapeText(label)}`}>`;
    }
    case 'rich_text':
    case 'rich_text_list':
      return joinLines(asList(node['elements']).map((child) => readRichText(child, depth + 1)));
    default:
      return asList(node['elements'])
        .map((child) => readRichText(child, depth + 1))
        .join('');
  }
};

const readTable = (block: Fields): string =>
  joinLines(
    asList(block['rows']).map((row) =>
      asList(row)
        .map((cell) => {
          const fields = asFields(cell);
          return fields?.['type'] === 'raw_text' ? escapeText(asText(fields['text'])) : readRichText(cell);
        })
        .join(' | '),
    ),
  );

const readTextObject = (value: unknown): string => {
  const fields = asFields(value);
  const text = asText(fields?.['text']);
  return fields?.['type'] === 'plain_text' ? escapeText(text) : text;
};

const readBlock = (value: unknown): string => {
  const block = asFields(value);
  switch (block?.['type']) {
    case 'rich_text':
      return readRichText(block);
    case 'table':
      return readTable(block);
    case 'section':
      return joinLines([readTextObject(block['text']), ...asList(block['fields']).map(readTextObject)]);
    case 'header':
      return readTextObject(block['text']);
    case 'context':
      return asList(block['elements']).map(readTextObject).join(' ');
    case 'markdown':
      return escapeText(asText(block['text']));
    default:
      return '';
  }
};

const readBlocks = (blocks: unknown): string => joinLines(asList(blocks).map(readBlock));

const isTable = (block: unknown): boolean => asFields(block)?.['type'] === 'table';

/** A forwarded message or a pasted table; the preview of a link is not what the person wrote. */
const readAttachment = (value: unknown): string => {
  const attachment = asFields(value);
  if (attachment === undefined) return '';
  const isShared = attachment['is_share'] === true || attachment['is_msg_unfurl'] === true;
  if (isShared) return asText(attachment['text']) || asText(attachment['fallback']);
  return readBlocks(asList(attachment['blocks']).filter(isTable));
};

/** The message in Slack's own form. Empty where nothing in it can be read. */
export const rawText = (content: MessageContent): string => {
  const written = asText(content.text) || readBlocks(content.blocks);
  const tables = asText(content.text) === '' ? '' : readBlocks(asList(content.blocks).filter(isTable));
  return joinLines([written, tables, ...asList(content.attachments).map(readAttachment)]);
};

/** The ids of the people mentioned, each once, in order. */
export const mentionedUsers = (raw: string): readonly string[] => [
  ...new Set([...raw.matchAll(TOKEN)].flatMap(([, token = '']) => USER_TOKEN.exec(token)?.[1] ?? [])),
];

export const mentionsUser = (raw: string, userId: string): boolean => mentionedUsers(raw).includes(userId);

/** Whom the message addresses by beginning with a mention. */
export const leadingMention = (raw: string): string | undefined => LEADING_MENTION.exec(raw)?.[1];

const readToken = (token: string, { botUserId, nameOf }: TextOptions): string => {
  const user = USER_TOKEN.exec(token);
  if (user !== null) {
    const [, id = '', label = ''] = user;
    if (id === botUserId) return '';
    return `@${nameOf(id) ?? (label || id)}`;
  }
  const bar = token.indexOf('|');
  const target = bar < 0 ? token : token.slice(0, bar);
  const label = bar < 0 ? '' : token.slice(bar + 1);
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!')) return label || `@${target.slice(1).replace(/\^.*$/, '')}`;
  const address = target.startsWith('mailto:') ? target.slice('mailto:'.length) : target;
  return label === '' || label === address ? address : `${label} (${address})`;
};

/** What the person wrote, without the assistant's own mention. */
export const plainText = (raw: string, options: TextOptions): string =>
  decodeEntities(raw.replace(TOKEN, (_whole, token: string) => readToken(token, options)))
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
