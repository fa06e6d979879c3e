/** From a ticket's text to what it says, field by field; see agent/ports/ticket-reader.ts for what is promised. */
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { LabelledExample, TicketCategory, TicketReader } from '../agent/ports/ticket-reader.ts';
import type { AskSide } from '../agent/side-model.ts';
import type { Judged, ReadingNote, TicketReading } from '../agent/ticket-reading.ts';
import { type Classified, createClassifier } from './classifier.ts';
import { priorityOf, readImpact, readSentiment, readUrgency } from './read-cues.ts';
import { createEntityReader, readProduct } from './read-entities.ts';
import { readLanguage } from './read-language.ts';
import { askModel, MODEL_FIELD_CONFIDENCE, type ModelAnswer, weighAnswer } from './read-model.ts';
import { escapePattern } from './read-pattern.ts';
import { maskPersonal, type ReadableText, readableText } from './read-text.ts';
import type { Requirement, Taxonomy } from './taxonomy.ts';

export interface TicketReaderOptions {
  readonly taxonomy: Taxonomy;
  /** What people said of earlier tickets; of unknown categories as well. */
  readonly corrections: readonly LabelledExample[];
  readonly embedder?: Embedder;
  readonly ask?: AskSide;
  /** Where the trained classifier is kept. */
  readonly file?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const SHOWN_CANDIDATES = 3;
/** A model that finds no fitting category is believed when the examples are not this sure of one. */
const SURE_IN_SCOPE = 0.8;

const NOTHING = { value: null, confidence: 0, source: 'rule' } as const;

/** A category's name and description are its first example. */
const examplesOf = (taxonomy: Taxonomy): readonly LabelledExample[] =>
  Object.entries(taxonomy.categories).flatMap(([category, { name, description, examples }]) => [
    { id: `${category}:about`, text: `${name ?? category.replace(/[_.-]+/gu, ' ')}. ${description}`.trim(), category },
    ...examples.map((text, at) => ({ id: `${category}:${at}`, text, category })),
  ]);

const masked = (example: LabelledExample): LabelledExample => {
  const { text } = readableText({ subject: '', text: example.text });
  return { ...example, text: maskPersonal(text).text };
};

const isTold = ({ entity, words }: Requirement, text: string, entities: TicketReading['entities']): boolean =>
  (entity !== undefined && entities.some(({ kind }) => kind === entity)) ||
  (words ?? []).some((word) => new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(word)}`, 'iu').test(text));

/** The model's word where the rules have none. */
const orModel = <T>(ruled: Judged<T>, said: T | null | undefined): Judged<T> =>
  ruled.value !== null || said == null ? ruled : { value: said, confidence: MODEL_FIELD_CONFIDENCE, source: 'model' };

interface Decided {
  readonly outOfScope: Judged<boolean>;
  readonly category: Judged<string>;
  readonly candidates: Classified['probabilities'];
  readonly notes: readonly ReadingNote[];
}

const decide = (
  classified: Classified | undefined,
  said: ModelAnswer | undefined,
  isInstructed: boolean,
  taxonomy: Taxonomy,
): Decided => {
  const notes: ReadingNote[] = [];
  const ids = Object.keys(taxonomy.categories);
  const read = classified?.probabilities ?? ids.map((category) => ({ category, confidence: 1 / ids.length }));
  const inScope = classified?.inScope;
  if (classified?.isCalibrated !== true) notes.push('too_few_examples');
  const named = said?.category ?? undefined;
  if (named !== undefined && classified !== undefined && read[0]?.category !== named && (inScope ?? 0) >= 0.5)
    notes.push('models_disagree');
  if (said !== undefined && named === undefined && (inScope ?? 0) >= SURE_IN_SCOPE) notes.push('models_disagree');
  const candidates = named === undefined ? read : weighAnswer(read, named, isInstructed);
  const source = named === undefined ? 'classifier' : 'model';
  const [best] = candidates;

  // The examples alone cannot refuse what the model places; the model alone cannot refuse what the examples are sure of.
  const isOutside = named === undefined && (said === undefined ? (inScope ?? 1) < 0.5 : (inScope ?? 0) < SURE_IN_SCOPE);
  const outOfScope: Judged<boolean> =
    inScope === undefined && said === undefined
      ? { value: null, confidence: 0, source: 'classifier' }
      : isOutside
        ? {
            value: true,
            confidence: said === undefined ? 1 - (inScope ?? 0) : Math.max(MODEL_FIELD_CONFIDENCE, 1 - (inScope ?? 0)),
            source: said === undefined ? 'classifier' : 'model',
          }
        : { value: false, confidence: Math.max(inScope ?? 0, named === undefined ? 0 : MODEL_FIELD_CONFIDENCE), source };
  const isSure =
    best !== undefined && best.confidence >= taxonomy.abstainBelow && (classified !== undefined || named !== undefined);
  const category: Judged<string> = {
    value: isSure && !isOutside ? best.category : null,
    confidence: best?.confidence ?? 0,
    source,
  };
  return { outOfScope, category, candidates: candidates.slice(0, SHOWN_CANDIDATES), notes };
};

export const createTicketReader = (options: TicketReaderOptions): TicketReader => {
  const { taxonomy, ask, clock, logger } = options;
  const readEntities = createEntityReader(taxonomy);
  const classifier = createClassifier({
    categories: Object.keys(taxonomy.categories),
    examples: [...examplesOf(taxonomy), ...options.corrections.map(masked)],
    outOfScope: taxonomy.outOfScope.examples,
    logger,
    ...(options.embedder === undefined ? {} : { embedder: options.embedder }),
    ...(options.file === undefined ? {} : { file: options.file }),
  });
  const categories = Object.entries(taxonomy.categories).map(
    ([id, { name, description, team, sensitive, required }]): TicketCategory => ({
      id,
      name: name ?? id,
      description,
      team,
      sensitive,
      required: Object.entries(required).map(([key, { question }]) => ({ id: key, question })),
    }),
  );
  const categoryById = new Map(categories.map((category) => [category.id, category]));

  /** Undefined, and a line in the log, where a part fails; the caller's own wish to stop is no failure. */
  const attempt = async <T>(event: string, work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      logger.warn(event, { reason: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };

  const unreadable = (notes: readonly ReadingNote[]): TicketReading => ({
    taxonomyId: taxonomy.id,
    readAt: clock.now(),
    outOfScope: NOTHING,
    category: NOTHING,
    candidates: [],
    impact: NOTHING,
    urgency: NOTHING,
    priority: NOTHING,
    language: NOTHING,
    sentiment: NOTHING,
    product: NOTHING,
    entities: [],
    missing: [],
    nearest: [],
    notes,
  });

  const readText = async (
    { text, quoted, personal, notes }: ReadableText,
    told: string | undefined,
    signal: AbortSignal,
  ): Promise<TicketReading> => {
    const [classified, said] = await Promise.all([
      attempt('triage_classifier_failed', () => classifier.classify(text, signal), signal),
      ask === undefined ? undefined : attempt('triage_model_failed', () => askModel(ask, text, taxonomy, signal), signal),
    ]);
    const decided = decide(classified, said, notes.includes('instructions'), taxonomy);
    const { language, isMixed } = readLanguage(text, told);
    const settings = decided.category.value === null ? undefined : taxonomy.categories[decided.category.value];
    const impact = orModel(readImpact(text, settings?.impact), said?.impact);
    const urgency = orModel(readUrgency(text, settings?.urgency), said?.urgency);
    const entities = [...readEntities(quoted === '' ? text : `${text}\n${quoted}`), ...personal].slice(0, 50);
    // A model that placed the ticket elsewhere was asked about other information.
    const toldTo = said?.category === decided.category.value ? (said?.told ?? []) : [];
    return {
      taxonomyId: taxonomy.id,
      readAt: clock.now(),
      outOfScope: decided.outOfScope,
      category: decided.category,
      candidates: decided.candidates,
      impact,
      urgency,
      priority: priorityOf(impact, urgency, taxonomy.priorities),
      language: isMixed ? language : orModel(language, said?.language),
      sentiment: orModel(readSentiment(text), said?.sentiment),
      product: orModel(readProduct(text, taxonomy.products), said?.product),
      entities,
      missing: Object.entries(settings?.required ?? {}).flatMap(([id, requirement]) =>
        toldTo.includes(id) || isTold(requirement, text, entities) ? [] : [id],
      ),
      nearest: classified?.nearest ?? [],
      notes: [
        ...notes,
        ...(isMixed ? (['mixed_languages'] as const) : []),
        ...decided.notes,
        ...(ask !== undefined && said === undefined ? (['model_unusable'] as const) : []),
      ],
    };
  };

  return {
    taxonomyId: taxonomy.id,
    categories,
    teams: [...new Set(categories.flatMap(({ team }) => team ?? []))],
    products: Object.keys(taxonomy.products),
    read: async (ticket, signal) => {
      signal.throwIfAborted();
      const readable = readableText(ticket);
      return readable.text === '' ? unreadable(readable.notes) : readText(readable, ticket.language, signal);
    },
    learn: (examples) => classifier.learn(examples.map(masked).filter(({ text }) => text !== '')),
    categoryOf: ({ category: { value } }) => {
      if (value === null) return { state: 'none' };
      const category = categoryById.get(value);
      return category === undefined ? { state: 'removed', id: value } : { state: 'known', category };
    },
    close: () => classifier.close(),
  };
};
