/** A page on a real port over a real store, with a gateway whose runs the test leads by hand. */

import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Attachment } from '../../agent/attachment.ts';
import type { Answer, InboundMessage, Passage } from '../../agent/conversation.ts';
import type { FeedbackInput, Gateway, MessageRef } from '../../agent/ports/channel.ts';
import type { Store } from '../../agent/ports/store.ts';
import { cardOf, cardPart } from '../../bots/approvals-card.ts';
import { createWebChannel, type WebChannel, type WebChannelOptions } from '../../bots/web/web.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

export const PASSAGE: Passage = {
  chunkId: 'c1',
  documentId: 'd1',
  title: 'Warranty terms',
  headingPath: ['Warranty terms', 'Dealers', 'Duration'],
  source: 'handbook/warranty.md',
  location: 'page 3',
  text: 'Warranty for private customers is two years.\n\nFor dealers, the warranty\nlasts three years from the day of delivery, provided that the yearly inspection was done.\n\nClaims are made with form W-12.',
  date: '2026-01-02',
  label: 'everyone',
  score: 0,
};

export const ANSWER: Answer = {
  text: 'For **dealers** the warranty lasts three years from the day of delivery [1].\n\n| Customer | Years |\n|---|--:|\n| private | 2 |\n| dealer | 3 |\n\nA claim is made with form `W-12` [2].',
  citations: [
    {
      n: 1,
      title: PASSAGE.title,
      source: PASSAGE.source,
      quote: 'For dealers, the warranty lasts three years from the day of delivery',
      chunkId: 'c1',
      headingPath: PASSAGE.headingPath,
      location: 'page 3',
      date: '2026-01-02',
    },
    {
      n: 2,
      title: 'Claims <b>guide</b>',
      source: 'claims.pdf',
      quote: 'Claims are made with form W-12.',
      chunkId: 'secret',
      headingPath: [],
      location: '',
      date: null,
    },
  ],
  answered: true,
  stopReason: 'answered',
  allowedLinks: [],
  fallback: false,
};

/** A run as the test leads it. */
export interface Run {
  readonly turnId: string;
  readonly message: InboundMessage;
  progress(text: string): void;
  /** Shows a card, and shows it again as it stands now. */
  showCard(args: string): Promise<void>;
  finish(answer?: Answer, files?: readonly Attachment[], labels?: readonly string[]): Promise<void>;
}

export interface WebBench {
  readonly web: WebChannel;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly url: string;
  readonly feedback: FeedbackInput[];
  readonly messages: InboundMessage[];
  cancels(): number;
  /** The next accepted question, with its placeholder posted. */
  nextRun(): Promise<Run>;
}

export const createWebBench = async (
  t: TestContext,
  options: Partial<WebChannelOptions> & { readonly mounts?: readonly Parameters<WebChannel['mount']>[] } = {},
): Promise<WebBench> => {
  const sqlite = options.store === undefined ? openSqliteStore({ folder: ':memory:', clock: systemClock }) : undefined;
  const store = options.store ?? sqlite?.store;
  if (store === undefined) throw new Error('no store');
  const web = createWebChannel({
    host: '127.0.0.1',
    port: 0,
    pageFolder: fileURLToPath(new URL('../../console/page', import.meta.url)),
    clock: systemClock,
    logger: silent,
    labelsFor: () => ['everyone'],
    readPassage: (chunkId, labels) =>
      Promise.resolve(chunkId === PASSAGE.chunkId && labels.includes('everyone') ? PASSAGE : undefined),
    readiness: () => Promise.resolve({ ready: true, parts: [] }),
    ...options,
    store,
  });
  const feedback: FeedbackInput[] = [];
  const messages: InboundMessage[] = [];
  const waiting: InboundMessage[] = [];
  const takers: ((message: InboundMessage) => void)[] = [];
  let cancels = 0;
  const gateway: Gateway = {
    accept: async (message) => {
      const { outcome } = await store.accept(message);
      if (outcome !== 'accepted') return 'duplicate';
      messages.push(message);
      const taker = takers.shift();
      if (taker === undefined) waiting.push(message);
      else taker(message);
      return outcome;
    },
    refusalFor: () => undefined,
    isSubscribed: () => Promise.resolve(true),
    editQuestion: () => Promise.resolve(),
    deleteQuestion: () => Promise.resolve(),
    cancel: () => {
      cancels += 1;
      return Promise.resolve(true);
    },
    stopTurn: () => Promise.resolve('over'),
    decideApproval: async (id, userId, outcome) => {
      const decided = await store.decideApproval(id, { outcome, decidedBy: userId, now: systemClock.now() });
      return decided?.isNew === true ? outcome : 'over';
    },
    readApproval: () => Promise.resolve(undefined),
    readTurn: () => Promise.resolve(undefined),
    recordFeedback: async (given) => {
      feedback.push(given);
      await store.putFeedback(given, systemClock.now());
    },
  };
  for (const mount of options.mounts ?? []) web.mount(...mount);
  await web.start(gateway);
  t.after(async () => {
    await web.close();
    if (sqlite !== undefined) await sqlite.close();
  });

  const nextRun = async (): Promise<Run> => {
    const message = waiting.shift() ?? (await new Promise<InboundMessage>((resolve) => takers.push(resolve)));
    const claim = await store.claim('w1', systemClock.now(), 60_000);
    if (claim === undefined) throw new Error('nothing to claim');
    const { turnId, lease } = claim;
    const key = `${turnId}:0`;
    await store.markSending(lease, turnId, 0, systemClock.now());
    const ref: MessageRef = await web.post(message.address, { text: 'Looking into it …', withFeedback: false }, key);
    await store.markPosted(lease, turnId, 0, ref);
    return {
      turnId,
      message,
      progress: (text) => web.progress(message.address, ref, text, key),
      showCard: async (args) => {
        const askedAt = systemClock.now();
        const record = await store.askApproval(lease, {
          id: `approval-of-${turnId}`,
          turnId,
          tool: 'send_email',
          words: 'Sends a mail to ops@example.com.',
          arguments: args,
          hash: '',
          reason: 'tool',
          approvers: [message.scope.userId],
          askedAt,
          expiresAt: askedAt + 600_000,
        });
        await web.post(message.address, cardPart(cardOf(record, 'en')), `${turnId}:1000`);
      },
      finish: async (answer = ANSWER, files = [], labels = []) => {
        const parts = web.render(answer, turnId, 'en');
        const [part] = parts;
        if (part === undefined) throw new Error('no part');
        const { scope, text } = message;
        await store.finishTurn(
          lease,
          {
            turnId,
            conversationId: scope.conversationId,
            userId: scope.userId,
            speaker: '',
            question: text,
            answer,
            labels,
            steps: 1,
            tools: [],
            usage: { inputTokens: 0, outputTokens: 0 },
            model: 'scripted',
            askedAt: message.receivedAt,
            answeredAt: systemClock.now(),
          },
          parts,
          files,
        );
        await web.update(message.address, ref, part, key);
        await store.markDelivered(lease, turnId, 0);
        await store.completeTurn(lease, turnId, web.keepsFiles);
        await store.release(lease);
      },
    };
  };
  return { web, store, gateway, url: web.url(), feedback, messages, cancels: () => cancels, nextRun };
};
