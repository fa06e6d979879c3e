/** The terminal as a channel: one conversation, questions typed or piped in, answers streamed below them. */

import { createInterface, type Interface } from 'node:readline';
import type { InboundMessage, Scope } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { ApprovalCard, Channel, Gateway, OutboundPart } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { type Language, textsFor } from '../agent/texts.ts';
import { cardFoot, decisionText, utcTime } from './approvals-card.ts';
import { type SafeAnswer, safePartial, sanitiseAnswer } from './egress.ts';
import { sourcesBlocks, withSources } from './egress-sources.ts';
import { keepLocally } from './local-files.ts';
import { withBlocks } from './markdown.ts';
import { paint, type TerminalStyle, toTerminalText } from './markdown-terminal.ts';
import { isRunStatus } from './run-status.ts';
import { readHistory, writeHistory } from './terminal-history.ts';
import { createTerminalStream, type TerminalStream } from './terminal-stream.ts';

export interface TerminalChannelOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Colours on an output that is a terminal. Pass false for NO_COLOR. */
  readonly colour?: boolean;
  /** Where typed lines are kept. Without it they are forgotten. */
  readonly historyPath?: string;
  /** Where the files of answers are put. Without it they are not. */
  readonly filesFolder?: string;
  /** Names the conversation; the same name goes on with it. Default a new one. */
  readonly conversation?: string;
  /** Of help and notices. Default English. */
  readonly language?: Language;
}

export interface TerminalChannel extends Channel {
  /** Resolves when the person has left, or the piped input is used up and answered. */
  readonly ended: Promise<void>;
}

const USER_ID = 'terminal:local';
const MAX_COLUMNS = 100;
const YES: ReadonlySet<string> = new Set(['y', 'yes', '是', '好', '批准']);
const NO: ReadonlySet<string> = new Set(['n', 'no', '否', '不', '拒绝']);

interface Asked {
  readonly deliveryId: string;
  readonly stream: TerminalStream;
  hasStatus: boolean;
  hasText: boolean;
  readonly finished: PromiseWithResolvers<void>;
}

export const createTerminalChannel = (options: TerminalChannelOptions): TerminalChannel => {
  const { input, output, clock, logger, historyPath, language = 'en' } = options;
  const texts = textsFor(language);
  const isInteractive = input.isTTY === true && output.isTTY === true;
  const colour = (options.colour ?? true) && output.isTTY === true;
  const conversation = options.conversation ?? clock.now().toString(36);
  const scope: Scope = { tenantId: 'local', channel: 'terminal', conversationId: `terminal:${conversation}`, userId: USER_ID };
  const ended = Promise.withResolvers<void>();
  const posted = new Set<string>();
  const lines: string[] = [];
  const prompt = colour ? `${paint('›', 'marker', true)} ` : '› ';

  let gateway: Gateway | undefined;
  let readline: Interface | undefined;
  let asked: Asked | undefined;
  let lastAnswer: { readonly turnId: string; readonly answer: SafeAnswer; readonly language: Language } | undefined;
  /** The card on which the next line decides. */
  let waiting: ApprovalCard | undefined;
  let asking = false;
  let inputEnded = false;
  let stopRequested = false;
  let count = 0;

  const style = (): TerminalStyle => ({ colour, width: output.isTTY === true ? Math.min(output.columns ?? 80, MAX_COLUMNS) : 0 });
  const write = (text: string): void => void output.write(text);
  const say = (text: string): void => write(`${text}\n`);

  const clearStatus = (): void => {
    if (asked?.hasStatus !== true) return;
    asked.hasStatus = false;
    write('\r\u001b[K');
  };

  const leave = (): void => {
    inputEnded = true;
    lines.length = 0;
    readline?.close();
    ended.resolve();
  };

  const showSources = (): void => {
    if (lastAnswer === undefined || lastAnswer.answer.citations.length === 0) {
      say(texts.noSources);
      return;
    }
    const blocks = sourcesBlocks(lastAnswer.answer, { language: lastAnswer.language, withQuotes: true });
    say(`\n${toTerminalText(withBlocks(lastAnswer.answer.tree, blocks), style())}\n`);
  };

  const ask = async (text: string): Promise<void> => {
    if (gateway === undefined) return;
    count += 1;
    const deliveryId = `${scope.conversationId}:${count}:${clock.now().toString(36)}`;
    const message: InboundMessage = {
      deliveryId,
      scope,
      author: { id: USER_ID, displayName: 'you', kind: 'person' },
      place: { kind: 'local', id: 'terminal' },
      trigger: 'typed',
      text,
      sourceMessageId: deliveryId,
      address: { deliveryId },
      receivedAt: clock.now(),
    };
    const current: Asked = {
      deliveryId,
      stream: createTerminalStream(style()),
      hasStatus: false,
      hasText: false,
      finished: Promise.withResolvers(),
    };
    asked = current;
    stopRequested = false;
    try {
      if ((await gateway.accept(message)) === 'accepted') await current.finished.promise;
      else say(texts.notAllowed);
    } catch (error) {
      logger.error('question_not_accepted', { error: error as Error });
      clearStatus();
      say(error instanceof AppError ? error.message : texts.failed);
    }
    asked = undefined;
  };

  const decide = (decision: 'approved' | 'denied'): void => {
    const card = waiting;
    if (card === undefined || gateway === undefined) return;
    waiting = undefined;
    gateway.decideApproval(card.id, USER_ID, decision).then(
      (outcome) => say(decisionText(outcome, textsFor(card.language).approval)),
      (error: unknown) => {
        logger.error('decision_failed', { error: error as Error });
        waiting = card;
        say(textsFor(card.language).tryAgain);
      },
    );
  };

  const answerCard = (line: string): void => {
    const word = line.trim().toLowerCase();
    if (YES.has(word)) decide('approved');
    else if (NO.has(word)) decide('denied');
    else say(textsFor(waiting?.language ?? language).approval.yesOrNo);
  };

  const showCard = (card: ApprovalCard): void => {
    const cardTexts = textsFor(card.language).approval;
    const foot = cardFoot(card, { person: () => cardTexts.you, time: utcTime });
    clearStatus();
    if (card.outcome !== null) {
      if (waiting?.id === card.id) waiting = undefined;
      return say(foot);
    }
    say(
      `\n${paint(cardTexts.title(card.tool), 'strong', colour)}\n${card.words}\n${card.details}\n${foot}\n${cardTexts.yesOrNo}`,
    );
    waiting = card;
    // A person answers what they have seen; of piped lines the next one is meant for it.
    const next = isInteractive ? undefined : lines[0]?.trim().toLowerCase();
    if (next !== undefined && (YES.has(next) || NO.has(next))) answerCard(lines.shift() ?? '');
    else if (inputEnded) decide('denied');
  };

  /** Works off the typed lines one by one. */
  const work = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      const text = line.trim();
      if (text === '/quit' || text === '/exit') leave();
      else if (text === '/help') say(texts.terminalHelp);
      else if (text === '/sources') showSources();
      else if (text !== '') await ask(text);
    }
    asking = false;
    if (inputEnded) ended.resolve();
    else if (isInteractive) readline?.prompt();
  };

  const begin = (): void => {
    void work().catch((error: unknown) => {
      logger.error('terminal_failed', { error: error as Error });
      leave();
    });
  };

  const interrupt = (): void => {
    const run = asked;
    if (run !== undefined && !stopRequested) {
      stopRequested = true;
      gateway?.cancel(scope).then(
        (stopped) => {
          if (!stopped && asked === run) stopRequested = false;
        },
        (error: unknown) => logger.error('cancel_failed', { error: error as Error }),
      );
    } else if (run === undefined && readline !== undefined && readline.line !== '') {
      readline.write(null, { ctrl: true, name: 'e' });
      readline.write(null, { ctrl: true, name: 'u' });
    } else {
      say('');
      leave();
    }
  };

  const rememberLine = (history: readonly string[]): void => {
    if (historyPath === undefined) return;
    try {
      writeHistory(historyPath, history);
    } catch (error) {
      logger.warn('history_not_written', { error: error as Error });
    }
  };

  const renderAnswer = ({ answer, language: answerLanguage }: NonNullable<typeof lastAnswer>, inColour: boolean): string =>
    toTerminalText(withSources(answer, { language: answerLanguage, withQuotes: false }), { ...style(), colour: inColour });

  const finish = (part: OutboundPart, deliveryId: string | undefined, key: string): void => {
    // What is stored has no colours; the answer that this process just rendered is shown with them.
    const isRendered =
      lastAnswer !== undefined && key === `${lastAnswer.turnId}:0` && renderAnswer(lastAnswer, false) === part.text;
    const text = isRendered && lastAnswer !== undefined ? renderAnswer(lastAnswer, colour) : part.text;
    if (asked === undefined || asked.deliveryId !== deliveryId) {
      say(`\n${paint(texts.earlierAnswer, 'dim', colour)}\n\n${text}\n`);
      return;
    }
    clearStatus();
    say(`${asked.hasText ? '' : '\n'}${asked.stream.finish(text)}\n`);
    asked.finished.resolve();
  };

  const showFile = (part: OutboundPart, file: NonNullable<OutboundPart['file']>, key: string, bytes: Uint8Array): void => {
    const { filesFolder } = options;
    if (filesFolder === undefined) throw new AppError('channel_no_files', 'This terminal has no folder for files.');
    const path = keepLocally(filesFolder, file.name, key, bytes);
    clearStatus();
    say(`${part.text}\n${textsFor(file.language).files.kept(path)}\n`);
    if (isInteractive && asked === undefined) readline?.prompt();
  };

  const isFinal = (part: OutboundPart): boolean => part.withFeedback || part.isPlain === true;

  const showStatus = (text: string): void => {
    if (asked === undefined || asked.hasText || !isInteractive) return;
    write(
      `\r\u001b[K${paint(toTerminalText(safePartial(text), { colour: false, width: 0 }).replace(/\s+/gu, ' '), 'dim', colour)}`,
    );
    asked.hasStatus = true;
  };

  return {
    name: 'terminal',
    ended: ended.promise,
    start: (to) => {
      gateway = to;
      readline = createInterface({
        input,
        ...(isInteractive
          ? { output, terminal: true, history: readHistory(historyPath), historySize: 500, prompt }
          : { terminal: false }),
      });
      readline.on('line', (line) => {
        if (waiting !== undefined) return answerCard(line);
        lines.push(line);
        begin();
      });
      readline.on('history', rememberLine);
      readline.on('SIGINT', interrupt);
      readline.on('close', () => {
        inputEnded = true;
        // Whoever is not there any more agrees to nothing.
        decide('denied');
        if (!asking) ended.resolve();
      });
      if (isInteractive) {
        say(`${texts.terminalWelcome}\n`);
        readline.prompt();
      }
      return Promise.resolve();
    },
    stopIntake: () => {
      inputEnded = true;
      readline?.close();
      return Promise.resolve();
    },
    close: () => {
      leave();
      return Promise.resolve();
    },
    status: () => ({ connected: gateway !== undefined && !inputEnded, detail: isInteractive ? 'interactive' : 'piped input' }),
    render: (answer, turnId, answerLanguage) => {
      lastAnswer = { turnId, answer: sanitiseAnswer(answer), language: answerLanguage };
      return [{ text: renderAnswer(lastAnswer, false), withFeedback: true }];
    },
    post: async (address, part, key, bytes) => {
      if (part.file !== undefined && bytes !== undefined) {
        showFile(part, part.file, key, bytes);
        posted.add(key);
        return { key };
      }
      posted.add(key);
      if (part.card !== undefined) {
        showCard(part.card);
        return { key };
      }
      if (isFinal(part)) finish(part, address['deliveryId'], key);
      else if (asked?.deliveryId === address['deliveryId']) showStatus(part.text);
      return { key };
    },
    find: (_address, key) => Promise.resolve(posted.has(key) ? { key } : undefined),
    update: (address, _ref, part, key) => {
      if (part.card !== undefined) showCard(part.card);
      else finish(part, address['deliveryId'], key);
      return Promise.resolve();
    },
    progress: (address, _ref, text) => {
      if (asked === undefined || asked.deliveryId !== address['deliveryId']) return;
      if (isRunStatus(text)) {
        showStatus(text);
        return;
      }
      const fresh = asked.stream.grow(text);
      if (fresh === '') return;
      clearStatus();
      write(`${asked.hasText ? '' : '\n'}${fresh}`);
      asked.hasText = true;
    },
  };
};
