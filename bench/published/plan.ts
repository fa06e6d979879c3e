/**
 * The world that both loops live in: tasks, what each try of each call comes to, and documents. Everything is drawn from the
 * seed and the thing's own name, so that two loops which do different things still meet the same faults.
 */

/** 0 to 1, the same for the same seed and name (FNV-1a, then the finaliser of MurmurHash3). */
export const draw = (seed: number, name: string): number => {
  let hash = (2166136261 ^ seed) >>> 0;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
};

export interface FaultPlan {
  /** Of one call the model writes: its arguments are no JSON. A matter of how calls are asked for, so each loop has its own. */
  readonly malformed: number;
  /** Of one try: the connection breaks. */
  readonly transient: number;
  /** Of one need, whatever is tried: what is asked for does not exist. */
  readonly permanent: number;
  /** Of one task: the model repeats its first call until it is told that it does. */
  readonly sticky: number;
}

/** Whether what is asked for does not exist, whatever is tried. */
export const isPermanent = (seed: number, plan: FaultPlan, x: string): boolean => draw(seed, `permanent ${x}`) < plan.permanent;

/** One thing a task has to find out. */
export interface Need {
  readonly x: string;
}

export interface Task {
  readonly id: string;
  readonly question: string;
  readonly needs: readonly Need[];
  readonly isSticky: boolean;
  /** A thing said earlier in the conversation that the answer has to name. */
  readonly recalls?: string;
}

export interface TaskShape {
  readonly needs: number;
  readonly recalls?: string;
  /** Said beside the question. */
  readonly says?: string;
}

/** The question names the task, so that a model that reads messages knows which one it works on. */
export const createTask = (seed: number, id: string, plan: FaultPlan, { needs, recalls, says = '' }: TaskShape): Task => ({
  id,
  question: `Please work on task ${id}. ${says}`.trim(),
  needs: Array.from({ length: needs }, (_value, n) => ({ x: `${id}.${n + 1}` })),
  isSticky: draw(seed, `sticky ${id}`) < plan.sticky,
  ...(recalls === undefined ? {} : { recalls }),
});

export const taskIdIn = (text: string): string | undefined => /task ([\w-]+)\./u.exec(text)?.[1];

/** What a need is worth: a loop has found it when this stands in its answer. */
export const valueOf = (x: string): string => `value(${x})`;

const SENTENCES = [
  'The catalogue lists this part under its number and its year. ',
  'Deliveries leave the warehouse on working days before noon. ',
  'Colours differ a little from what a screen shows. ',
  'A spare can be ordered for ten years after the last sale. ',
  'The manual in the box describes how it is put together. ',
];

/** A document of about so many characters with the value inside. */
export const documentOf = (x: string, chars: number): string => {
  let text = '';
  for (let n = 0; text.length < chars; n += 1) text += SENTENCES[(x.length + n) % SENTENCES.length];
  return `${text.slice(0, Math.floor(chars / 2))} The result is ${valueOf(x)}. ${text.slice(Math.floor(chars / 2), chars)}`;
};
