/**
 * A team's own taxonomy, from YAML: what its tickets are about, with examples, who takes them, what they have to tell, and how
 * impact and urgency make a priority. Its id changes with everything that a reading can name.
 */
import { createHash } from 'node:crypto';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import { DEGREES, ENTITY_KINDS, PRIORITIES } from '../agent/ticket-reading.ts';

const ID = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;
const MAX_CATEGORIES = 1_000;
const MAX_EXAMPLES = 5_000;
const MAX_EXAMPLE_CHARS = 2_000;
/** Figures, letters and plain signs: a form is no regular expression, so that none can be built to hang. */
const FORM = /^[\p{L}\p{N}#@ ./_-]{2,40}$/u;

const text = z.string().trim().min(1).max(500);
const id = z.string().regex(ID, 'expected letters, digits, _, - or . with no space, at most 64');
const degree = z.enum(DEGREES);
const priority = z.enum(PRIORITIES);
const example = z.string().trim().min(1).max(MAX_EXAMPLE_CHARS);
const examples = z.array(example).max(MAX_EXAMPLES).default([]);

const requirement = z.strictObject({
  /** What to ask when the ticket does not tell it. */
  question: text,
  /** Told when the ticket holds one of these. */
  entity: z.enum(ENTITY_KINDS).optional(),
  /** Told when the ticket holds one of these words. */
  words: z.array(text).min(1).optional(),
});

const category = z.strictObject({
  name: text.optional(),
  description: z.string().trim().max(2_000).default(''),
  team: text.nullable().default(null),
  sensitive: z.boolean().default(false),
  impact: degree.optional(),
  urgency: degree.optional(),
  required: z.record(id, requirement).default({}),
  examples,
});

const row = z.strictObject({ high: priority, medium: priority, low: priority });

const schema = z.strictObject({
  categories: z.record(id, category),
  products: z.record(text, z.array(text)).default({}),
  /** Impact by urgency. */
  priorities: z.strictObject({ high: row, medium: row, low: row }).default({
    high: { high: 'urgent', medium: 'high', low: 'normal' },
    medium: { high: 'high', medium: 'normal', low: 'low' },
    low: { high: 'normal', medium: 'low', low: 'low' },
  }),
  /** How the team's own order numbers and error codes are written: `#` a digit, `@` a letter. */
  forms: z
    .partialRecord(z.enum(['order_number', 'error_code', 'account_number']), z.array(z.string().regex(FORM)).min(1))
    .default({}),
  /** What reaches the team and is none of its work. */
  outOfScope: z.strictObject({ examples }).default({ examples: [] }),
  /** A category of less confidence is not named. */
  abstainBelow: z.number().min(0).max(1).default(0.5),
});

export type TaxonomyContent = z.infer<typeof schema>;
export type Requirement = z.infer<typeof requirement>;

export interface Taxonomy extends Readonly<TaxonomyContent> {
  readonly id: string;
}

const invalid = (file: string, what: string, cause?: unknown): AppError =>
  new AppError('config_invalid', `${file}: ${what}`, { cause });

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** Which of two categories an example means cannot be learnt from both. */
const findDoubled = (content: TaxonomyContent): string | undefined => {
  const places = new Map<string, string>();
  for (const [name, { examples: texts }] of [
    ...Object.entries(content.categories),
    ['outOfScope', content.outOfScope] as const,
  ]) {
    for (const [at, one] of texts.entries()) {
      const known = places.get(one.toLowerCase());
      if (known !== undefined && known !== name)
        return `example ${at + 1} of ${name} is an example of ${known} as well: keep it in one`;
      places.set(one.toLowerCase(), name);
    }
  }
  return undefined;
};

/** `file` is named in errors. Throws `AppError('config_invalid')` that names the place, what was expected and what came. */
export const readTaxonomy = (yaml: string, file: string): Taxonomy => {
  const document = parseDocument(yaml, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw invalid(file, `expected YAML, got ${broken.message.split('\n')[0] ?? 'something else'}`, broken);
  const parsed = schema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(file, `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not a taxonomy'}`, parsed.error);
  }
  const count = Object.keys(parsed.data.categories).length;
  if (count === 0 || count > MAX_CATEGORIES) {
    throw invalid(
      file,
      `categories: expected 1 to ${MAX_CATEGORIES} categories, got ${count}; each is an id with a description and examples`,
    );
  }
  const doubled = findDoubled(parsed.data);
  if (doubled !== undefined) throw invalid(file, doubled);
  const { categories, products, priorities, forms } = parsed.data;
  const named = Object.entries(categories).map(([name, settings]) => [name, { ...settings, examples: [] }]);
  return { ...parsed.data, id: hash([named, products, priorities, forms]) };
};
