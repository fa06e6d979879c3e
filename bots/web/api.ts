/** What the page asks of the server: JSON in, JSON out, every body through a schema. */

import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import type { InboundMessage, Passage, Scope } from '../../agent/conversation.ts';
import { AppError, ERRORS } from '../../agent/errors.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { Store } from '../../agent/ports/store.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { decisionText } from '../approvals-card.ts';
import { safeLine } from '../egress.ts';
import { cleanText } from '../egress-text.ts';
import type { Sessions } from './session.ts';
import type { Streams } from './streams.ts';
import { conversationOf, mayReadFiles, type Threads, userOf } from './threads.ts';

const MAX_BODY_BYTES = 256 * 1_024;

const NAME = z.string().regex(/^[A-Za-z0-9_-]{8,40}$/u, 'expected 8 to 40 letters, digits, - or _');
const QUESTION = z.strictObject({ id: NAME, text: z.string() });
const NUMBER = z
  .string()
  .regex(/^\d{1,3}$/u, 'expected a number')
  .transform(Number);
const FEEDBACK = z.strictObject({ verdict: z.enum(['up', 'down']), reason: z.string().max(2_000).default('') });
const DECISION = z.strictObject({ decision: z.enum(['approved', 'denied']) });
const ENTER = z.strictObject({ token: z.string().max(500) });

export interface ApiOptions {
  /** The visitor is this machine's owner; off loopback it is anyone with a token, and limits hold. */
  readonly onLoopback: boolean;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly threads: Threads;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly labelsFor: (userId: string) => readonly string[];
  readonly readPassage: (chunkId: string, labels: readonly string[]) => Promise<Passage | undefined>;
  /** Undefined while no questions are taken. */
  readonly gateway: () => Gateway | undefined;
}

/** A refusal that the page can show. */
class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const parse = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.');
  throw new RequestError(400, 'invalid', `${where}: ${issue?.message ?? 'expected something else'}`);
};

export const createApi = (options: ApiOptions): Router => {
  const { onLoopback, sessions, streams, threads, store, clock, labelsFor, readPassage } = options;
  const router = express.Router();
  router.use((_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });
  router.use(express.json({ limit: MAX_BODY_BYTES, strict: true, type: 'application/json' }));
  router.use((request, _response, next) => {
    const isJson = request.method !== 'POST' || request.is('application/json') !== false;
    next(isJson ? undefined : new RequestError(415, 'not_json', 'Expected a body of content-type application/json.'));
  });

  const sessionOf = async (request: Request): Promise<string> => {
    const session = await sessions.read(request);
    if (session === undefined)
      throw new RequestError(401, 'no_session', 'Open the address that was printed when the assistant was started.');
    return session;
  };

  const scopeOf = (session: string, thread: string): Scope => ({
    tenantId: 'local',
    channel: 'web',
    conversationId: conversationOf(session, thread),
    userId: userOf(session),
  });

  const taking = (text: string): Gateway => {
    const gateway = options.gateway();
    if (gateway === undefined) throw new RequestError(503, 'draining', textsFor(languageOf(text)).tryAgain);
    return gateway;
  };

  router.post('/enter', async (request, response) => {
    const { token } = parse(ENTER, request.body);
    if (!(await sessions.enter(token, response))) {
      throw new RequestError(
        401,
        'wrong_token',
        'This token is wrong or was used before. Start the assistant again for a new one.',
      );
    }
    response.json({ ok: true });
  });

  router.get('/threads', async (request, response) => {
    response.json({ threads: await threads.list(await sessionOf(request)) });
  });

  router.post('/threads/:thread/questions', async (request, response) => {
    const session = await sessionOf(request);
    const thread = parse(NAME, request.params.thread);
    const { id, text } = parse(QUESTION, request.body);
    const scope = scopeOf(session, thread);
    const deliveryId = `${scope.conversationId}:${id}`;
    const message: InboundMessage = {
      deliveryId,
      scope,
      author: { id: scope.userId, displayName: 'Visitor', kind: 'person' },
      place: { kind: onLoopback ? 'local' : 'direct', id: 'web' },
      trigger: 'typed',
      text,
      sourceMessageId: deliveryId,
      address: { session, thread, question: id },
      receivedAt: clock.now(),
    };
    const outcome = await taking(text).accept(message);
    // Whoever may open the page may ask: this one asked far too often.
    if (outcome === 'refused') throw new RequestError(429, 'too_many', textsFor(languageOf(text)).tryAgain);
    const turn = (await store.listTurns(scope.conversationId)).find((summary) => summary.message.deliveryId === deliveryId);
    if (turn !== undefined && outcome === 'accepted') {
      const view = await threads.view(turn);
      streams.publish(scope.conversationId, { type: 'turn', subject: turn.turnId, data: () => view });
    }
    response.status(outcome === 'accepted' ? 202 : 200).json({ outcome });
  });

  router.post('/threads/:thread/stop', async (request, response) => {
    const session = await sessionOf(request);
    const stopped = (await options.gateway()?.cancel(scopeOf(session, parse(NAME, request.params.thread)))) ?? false;
    response.json({ stopped });
  });

  router.get('/threads/:thread/events', async (request, response) => {
    const session = await sessionOf(request);
    const thread = parse(NAME, request.params.thread);
    const lastEventId = request.get('last-event-id');
    await streams.open(conversationOf(session, thread), lastEventId, response, async () => ({
      turns: await threads.read(session, thread),
    }));
  });

  router.post('/turns/:turn/feedback', async (request, response) => {
    const session = await sessionOf(request);
    const { verdict, reason } = parse(FEEDBACK, request.body);
    const summary = await store.readTurn(String(request.params.turn));
    if (summary === undefined || summary.message.scope.userId !== userOf(session)) {
      throw new RequestError(404, 'no_such_turn', 'There is no such answer in your threads.');
    }
    await taking('').recordFeedback({ turnId: summary.turnId, userId: userOf(session), verdict, reason: cleanText(reason) });
    response.json({ ok: true });
  });

  router.get('/turns/:turn/files/:number', async (request, response) => {
    const session = await sessionOf(request);
    const number = parse(NUMBER, request.params.number);
    const summary = await store.readTurn(String(request.params.turn));
    const isOwn = summary?.message.scope.userId === userOf(session) && mayReadFiles(summary, labelsFor(userOf(session)));
    const file = isOwn ? await store.readFile(summary.turnId, number) : undefined;
    if (file === undefined) throw new RequestError(404, 'no_such_file', 'There is no such file in your threads.');
    const type = file.mediaType === 'text/csv' ? 'text/csv; charset=utf-8' : file.mediaType;
    // Nothing but a picture is shown on an address of the page's own.
    const disposition = file.mediaType === 'image/png' ? 'inline' : 'attachment';
    response
      .set({ 'content-type': type, 'content-disposition': `${disposition}; filename*=UTF-8''${encodeURIComponent(file.name)}` })
      .end(file.bytes);
  });

  router.post('/approvals/:approval', async (request, response) => {
    const session = await sessionOf(request);
    const { decision } = parse(DECISION, request.body);
    const id = String(request.params.approval);
    const record = await store.readApproval(id);
    const summary = record && (await store.readTurn(record.turnId));
    if (summary === undefined || summary.message.scope.userId !== userOf(session)) {
      throw new RequestError(404, 'no_such_approval', 'There is no such question in your threads.');
    }
    const { text } = summary.message;
    const outcome = await taking(text).decideApproval(id, userOf(session), decision);
    response.json({ outcome, message: decisionText(outcome, textsFor(languageOf(text)).approval) });
  });

  router.get('/passages/:chunk', async (request, response) => {
    const session = await sessionOf(request);
    const passage = await readPassage(String(request.params.chunk), labelsFor(userOf(session)));
    if (passage === undefined) {
      throw new RequestError(
        404,
        'no_such_passage',
        'This passage is no longer in the knowledge base, or is not for you to read.',
      );
    }
    response.json({
      title: safeLine(passage.title),
      heading: passage.headingPath.map((heading) => safeLine(heading)),
      source: safeLine(passage.source),
      location: safeLine(passage.location),
      date: passage.date,
      text: cleanText(passage.text),
    });
  });

  router.use((_request, _response, next) => next(new RequestError(404, 'not_found', 'There is nothing under this address.')));
  router.use(answerError(options.logger));
  return router;
};

/** Every failure as JSON that says what to do; nothing of ours leaks. */
export const answerError =
  (logger: Logger): ErrorRequestHandler =>
  (error: unknown, _request: Request, response: Response, next): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, code, message } = describeError(error);
    if (status >= 500) logger.error('web_request_failed', { status, error: error as Error });
    response.status(status).json({ error: code, message });
  };

const describeError = (error: unknown): { readonly status: number; readonly code: string; readonly message: string } => {
  if (error instanceof RequestError) return error;
  if (error instanceof AppError)
    return { status: ERRORS[error.code].retryable ? 503 : 500, code: error.code, message: textsFor('en').tryAgain };
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    return { status: 413, code: 'too_large', message: `Expected a body of at most ${MAX_BODY_BYTES} bytes.` };
  if (type === 'entity.parse.failed') return { status: 400, code: 'not_json', message: 'Expected a JSON object as the body.' };
  if (error instanceof URIError) return { status: 400, code: 'invalid', message: 'The address is not well-formed.' };
  return { status: 500, code: 'internal', message: textsFor('en').failed };
};
