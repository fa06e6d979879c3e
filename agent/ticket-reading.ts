/**
 * What was read from a ticket: every field with how sure it is, or not at all, and with what it rests on. It is stored as it stands
 * and shown long after, so it names its taxonomy and holds no text of the ticket but short codes; addresses of people are masked.
 */
import { z } from 'zod';

/** `rule`: a written rule or a word list. `classifier`: learnt from labelled examples. `model`: a language model, within the taxonomy. */
export const READING_SOURCES = ['rule', 'classifier', 'model'] as const;
export type ReadingSource = (typeof READING_SOURCES)[number];

export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const DEGREES = ['high', 'medium', 'low'] as const;
export type Degree = (typeof DEGREES)[number];
export const SENTIMENTS = ['negative', 'neutral', 'positive'] as const;
export type Sentiment = (typeof SENTIMENTS)[number];

export const ENTITY_KINDS = [
  'order_number',
  'version',
  'error_code',
  'amount',
  'link',
  'email',
  'phone',
  'account_number',
] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/**
 * `unreadable`: no words in it. `cut`: only its beginning and its end were read. `mixed_languages`: no one language. `instructions`: it
 * speaks to the software that reads it. `personal_data`: addresses, phone, card or account numbers. `too_few_examples`: the labelled
 * examples are too few to be sure. `models_disagree`: the language model and the examples say different things. `model_unusable`: the
 * language model's answer was not within the taxonomy, or none came.
 */
export const READING_NOTES = [
  'unreadable',
  'cut',
  'mixed_languages',
  'instructions',
  'personal_data',
  'too_few_examples',
  'models_disagree',
  'model_unusable',
] as const;
export type ReadingNote = (typeof READING_NOTES)[number];

const confidence = z.number().min(0).max(1);

/** `value` is null where the reader abstains; `confidence` is then of the guess that was not good enough, 0 without one. */
const judged = <T extends z.ZodType>(value: T) =>
  z.object({ value: value.nullable(), confidence, source: z.enum(READING_SOURCES) }).readonly();

export interface Judged<T> {
  readonly value: T | null;
  /**
   * 0 to 1. Of the classifier: among readings of this confidence, about the share that is right. Of a rule, and of a model beyond the
   * category: set by hand, good for comparing and for thresholds.
   */
  readonly confidence: number;
  readonly source: ReadingSource;
}

const ticketEntity = z
  .object({
    kind: z.enum(ENTITY_KINDS),
    /** As written, at most 80 characters; e-mail addresses, phone and account numbers masked. */
    text: z.string().min(1).max(80),
  })
  .readonly();
export type TicketEntity = z.infer<typeof ticketEntity>;

/** A labelled example near the ticket. */
const nearExample = z
  .object({
    exampleId: z.string(),
    /** The team's own text, cut; personal data of a corrected ticket masked. */
    text: z.string(),
    category: z.string(),
    /** Cosine of the two, 0 to 1. */
    similarity: z.number().min(0).max(1),
  })
  .readonly();
export type NearExample = z.infer<typeof nearExample>;

export const ticketReading = z
  .object({
    /** Changes with the taxonomy's categories, priorities and products: a reading of another one may name what is gone. */
    taxonomyId: z.string(),
    /** Epoch milliseconds. */
    readAt: z.number(),
    /** Whether no category fits: the ticket is none of the team's. Its confidence is that of the value, true or false. */
    outOfScope: judged(z.boolean()),
    /** A category's id. Null as well when the ticket is out of scope. */
    category: judged(z.string()),
    /** The likeliest categories, likeliest first, at most three; also where the reader abstains. */
    candidates: z
      .array(z.object({ category: z.string(), confidence }).readonly())
      .max(3)
      .readonly(),
    impact: judged(z.enum(DEGREES)),
    urgency: judged(z.enum(DEGREES)),
    /** From impact and urgency by the taxonomy's table. */
    priority: judged(z.enum(PRIORITIES)),
    /** ISO 639-1. */
    language: judged(z.string()),
    sentiment: judged(z.enum(SENTIMENTS)),
    /** A product's name in the taxonomy. */
    product: judged(z.string()),
    entities: z.array(ticketEntity).max(50).readonly(),
    /** The ids of what the category requires and the ticket does not tell. */
    missing: z.array(z.string()).readonly(),
    /** Labelled examples nearest to the ticket, nearest first. */
    nearest: z.array(nearExample).max(5).readonly(),
    notes: z.array(z.enum(READING_NOTES)).readonly(),
  })
  .readonly();

export type TicketReading = z.infer<typeof ticketReading>;
