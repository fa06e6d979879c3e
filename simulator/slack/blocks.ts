/**
 * What Slack checks of a message's blocks and text, and what a person reads of them.
 * Sizes: https://docs.slack.dev/reference/block-kit/blocks and the pages of the chat.* methods.
 */
import type { JsonObject, JsonValue } from '../../agent/json.ts';

const MAX_BLOCKS = 50;
const MAX_SECTION_CHARS = 3000;
const MAX_HEADER_CHARS = 150;
const MAX_MARKDOWN_CHARS = 12_000;
/** Undocumented; apps saw `msg_blocks_too_long` from about here. */
const MAX_TOTAL_BLOCK_CHARS = 13_200;
const MAX_TEXT_CHARS = 40_000;
/** Apps saw updates fail from about here on. */
const MAX_UPDATE_TEXT_CHARS = 4000;
/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
const MAX_INPUT_CHARS = 3000;
/** https://docs.slack.dev/reference/views */
const MAX_VIEW_BLOCKS = 100;
/** `view_too_large` of https://docs.slack.dev/reference/methods/views.open */
const MAX_VIEW_BYTES = 250_000;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asList = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const textOf = (value: JsonValue | undefined): string =>
  isObject(value) && typeof value['text'] === 'string' ? value['text'] : '';

const KNOWN_BLOCKS = new Set([
  'section',
  'header',
  'divider',
  'context',
  'actions',
  'markdown',
  'rich_text',
  'image',
  'input',
  'table',
]);

const checkText = (value: JsonValue | undefined, limit: number, where: string): string | undefined => {
  if (!isObject(value) || (value['type'] !== 'mrkdwn' && value['type'] !== 'plain_text')) return `${where}: no text object`;
  const text = value['text'];
  if (typeof text !== 'string' || text.length === 0) return `${where}: must be more than 0 characters`;
  return text.length > limit ? `${where}: must be less than ${limit + 1} characters` : undefined;
};

const checkButton = (element: JsonValue, where: string): string | undefined => {
  if (!isObject(element) || typeof element['type'] !== 'string') return `${where}: no element`;
  if (element['type'] === 'static_select') {
    const options = asList(element['options']);
    if (options.length === 0 || options.length > 100) return `${where}: 1 to 100 options`;
    const wrong = options.find((option) => !isObject(option) || String(option['value'] ?? '').length > 150);
    if (wrong !== undefined) return `${where}: an option's value`;
    const texts = options.map((option) => checkText(isObject(option) ? option['text'] : undefined, 75, `${where}/options`));
    return texts.find(Boolean) ?? checkText(element['placeholder'], 150, `${where}.placeholder`);
  }
  if (element['type'] !== 'button') return undefined;
  if (typeof element['action_id'] !== 'string' || element['action_id'].length > 255) return `${where}: action_id`;
  const value = element['value'];
  if (value !== undefined && (typeof value !== 'string' || value.length > 2000)) return `${where}: value`;
  return checkText(element['text'], 75, `${where}.text`);
};

const checkBlock = (block: JsonObject, where: string): string | undefined => {
  switch (block['type']) {
    case 'section': {
      if (block['text'] === undefined && block['fields'] === undefined) return `${where}: text or fields`;
      const fields = asList(block['fields']);
      if (fields.length > 10) return `${where}: at most 10 fields`;
      const wrong = fields.map((field) => checkText(field, 2_000, `${where}/fields`)).find(Boolean);
      if (wrong !== undefined) return wrong;
      return block['text'] === undefined ? undefined : checkText(block['text'], MAX_SECTION_CHARS, where);
    }
    case 'header':
      return checkText(block['text'], MAX_HEADER_CHARS, where);
    case 'actions': {
      const elements = asList(block['elements']);
      if (elements.length === 0 || elements.length > 25) return `${where}: 1 to 25 elements`;
      const ids = elements.map((element) => (isObject(element) ? element['action_id'] : undefined));
      if (new Set(ids).size !== ids.length) return `${where}: action_id must be unique`;
      return elements.map((element, index) => checkButton(element, `${where}/elements/${index}`)).find(Boolean);
    }
    case 'context': {
      const elements = asList(block['elements']);
      return elements.length === 0 || elements.length > 10 ? `${where}: 1 to 10 elements` : undefined;
    }
    case 'markdown':
      return typeof block['text'] === 'string' && block['text'].length > 0 ? undefined : `${where}: text`;
    default:
      return undefined;
  }
};

const blockText = (block: JsonObject): string => {
  switch (block['type']) {
    case 'markdown':
      return typeof block['text'] === 'string' ? block['text'] : '';
    case 'section':
      return [textOf(block['text']), ...asList(block['fields']).map(textOf)].filter((text) => text !== '').join('\n');
    case 'header':
      return textOf(block['text']);
    case 'context':
      return asList(block['elements']).map(textOf).join(' ');
    case 'rich_text':
      return richText(block);
    default:
      return '';
  }
};

const richText = (value: JsonValue): string => {
  if (!isObject(value)) return '';
  if (value['type'] === 'user') return `<@${String(value['user_id'])}>`;
  if (value['type'] === 'broadcast') return `<!${String(value['range'])}>`;
  if (value['type'] === 'link') return typeof value['text'] === 'string' ? value['text'] : String(value['url']);
  if (typeof value['text'] === 'string') return value['text'];
  return asList(value['elements']).map(richText).join('');
};

/** What stands in the message for a reader: its blocks where it has some, its text otherwise. */
export const readableText = (text: string, blocks: readonly JsonObject[]): string => {
  const read = blocks.map(blockText).filter((part) => part !== '');
  return read.length > 0 ? read.join('\n') : text;
};

export interface MessageButton {
  readonly actionId: string;
  readonly blockId: string;
  readonly label: string;
  readonly value: string;
}

export const buttonsOf = (blocks: readonly JsonObject[]): readonly MessageButton[] =>
  blocks
    .filter((block) => block['type'] === 'actions')
    .flatMap((block) =>
      asList(block['elements'])
        .filter(isObject)
        .filter((element) => element['type'] === 'button')
        .map((element) => ({
          actionId: String(element['action_id']),
          blockId: String(block['block_id'] ?? ''),
          label: textOf(element['text']),
          value: String(element['value'] ?? ''),
        })),
    );

export interface MessageMenu {
  readonly actionId: string;
  readonly blockId: string;
  readonly label: string;
  /** The action of a person who chose that value, or that person. Throws for a value that is not offered. */
  choose(value: string): JsonObject;
}

export const menusOf = (blocks: readonly JsonObject[]): readonly MessageMenu[] =>
  blocks
    .filter((block) => block['type'] === 'actions')
    .flatMap((block) =>
      asList(block['elements'])
        .filter(isObject)
        .filter((element) => element['type'] === 'static_select' || element['type'] === 'users_select')
        .map((element) => ({
          actionId: String(element['action_id']),
          blockId: String(block['block_id'] ?? ''),
          label: textOf(element['placeholder']),
          choose: (value: string): JsonObject => {
            if (element['type'] === 'users_select') return { type: 'users_select', selected_user: value };
            const option = asList(element['options']).find((one) => isObject(one) && one['value'] === value);
            if (option === undefined) throw new Error(`no option ${value} in ${String(element['action_id'])}`);
            return { type: 'static_select', selected_option: option };
          },
        })),
    );

/** The broadcasts, groups and people that the message would notify. */
export const pingsOf = (text: string, blocks: readonly JsonObject[]): readonly string[] => {
  const all = [text, ...blocks.map(blockText)].join('\n');
  return [...new Set(all.match(/<(?:!(?:channel|here|everyone)|!subteam\^[A-Z0-9]+|@[UW][A-Z0-9]+)(?:\|[^>]*)?>/g) ?? [])];
};

export interface BlockFault {
  readonly error: 'invalid_blocks' | 'msg_blocks_too_long' | 'msg_too_long' | 'no_text' | 'invalid_blocks_format';
  readonly detail: string;
}

/** What is wrong with a message, or undefined. `blocks` as it came. */
export const checkMessage = (
  text: string | undefined,
  blocks: JsonValue | undefined,
  markdownText: string | undefined,
  isUpdate: boolean,
): BlockFault | undefined => {
  if (blocks !== undefined && !Array.isArray(blocks)) return { error: 'invalid_blocks_format', detail: 'blocks is no array' };
  const list = asList(blocks);
  if ((text ?? '') === '' && list.length === 0 && (markdownText ?? '') === '')
    return { error: 'no_text', detail: 'nothing to say' };
  if (list.length > MAX_BLOCKS) return { error: 'invalid_blocks', detail: `no more than ${MAX_BLOCKS} items allowed` };
  for (const [index, block] of list.entries()) {
    if (!isObject(block) || typeof block['type'] !== 'string' || !KNOWN_BLOCKS.has(block['type'])) {
      return { error: 'invalid_blocks', detail: `/blocks/${index}: unsupported type` };
    }
    const fault = checkBlock(block, `/blocks/${index}`);
    if (fault !== undefined) return { error: 'invalid_blocks', detail: fault };
  }
  const objects = list.filter(isObject);
  const markdown = objects
    .filter((block) => block['type'] === 'markdown')
    .reduce((sum, block) => sum + blockText(block).length, 0);
  const total = objects.reduce((sum, block) => sum + blockText(block).length, 0);
  if (markdown > MAX_MARKDOWN_CHARS || total > MAX_TOTAL_BLOCK_CHARS) {
    return { error: 'msg_blocks_too_long', detail: `${total} characters in blocks` };
  }
  if ((markdownText ?? '').length > MAX_MARKDOWN_CHARS) return { error: 'msg_too_long', detail: 'markdown_text' };
  const limit = isUpdate ? MAX_UPDATE_TEXT_CHARS : MAX_TEXT_CHARS;
  return (text ?? '').length > limit ? { error: 'msg_too_long', detail: `text is over ${limit} characters` } : undefined;
};

const checkInput = (block: JsonObject, where: string): string | undefined => {
  const element = block['element'];
  if (!isObject(element)) return `${where}: no element`;
  if (element['type'] === 'plain_text_input') {
    const max = Number(element['max_length'] ?? MAX_INPUT_CHARS);
    if (max > MAX_INPUT_CHARS) return `${where}: max_length over ${MAX_INPUT_CHARS}`;
    if (String(element['initial_value'] ?? '').length > max) return `${where}: initial_value over ${max} characters`;
  }
  return checkText(block['label'], 2_000, `${where}.label`);
};

/** What is wrong with the blocks of a dialog, or undefined. */
export const checkView = (view: JsonObject): string | undefined => {
  const blocks = asList(view['blocks']).filter(isObject);
  if (blocks.length > MAX_VIEW_BLOCKS) return `no more than ${MAX_VIEW_BLOCKS} items allowed`;
  if (Buffer.byteLength(JSON.stringify(view)) > MAX_VIEW_BYTES) return 'view_too_large';
  const ids = blocks.flatMap((block) => block['block_id'] ?? []);
  if (new Set(ids).size !== ids.length) return 'block_id must be unique';
  return blocks
    .map((block, index) => {
      const where = `/view/blocks/${index}`;
      return block['type'] === 'input' ? checkInput(block, where) : checkBlock(block, where);
    })
    .find(Boolean);
};

export const isJsonObject = isObject;
