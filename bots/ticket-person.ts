/**
 * A thread is handed to a person: by the asker's words, or by the button under an answer. Whoever does both, does it twice, or does it
 * when the thread has a ticket already, finds the same ticket.
 */
import { type AskerLanguage, askerLanguageOf } from '../agent/asker-language.ts';
import type { Answer, Author, InboundMessage, ReplyAddress } from '../agent/conversation.ts';
import type { Gateway, OutboundPart } from '../agent/ports/channel.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import { languageOf, textsFor } from '../agent/texts.ts';
import type { ArrivalWay, Ticket, TicketArrival } from '../agent/ticket.ts';
import { outcomeText } from './ticket-actions.ts';

interface PersonTexts {
  readonly ask: string;
  /** The answers to the question whether it is solved. */
  readonly solved: string;
  readonly unsolved: string;
  readonly handedOver: (ticketId: string) => string;
  readonly already: (ticketId: string) => string;
  /** Nothing in the question asks for anything: a greeting. */
  readonly nothingAsked: string;
  readonly askersOnly: string;
  readonly gone: string;
  readonly failed: string;
}

const TEXTS: Readonly<Record<AskerLanguage, PersonTexts>> = {
  en: {
    ask: 'Ask a person',
    solved: 'Solved',
    unsolved: 'Not yet',
    handedOver: (id) => `Passed on to a person as ${id}. The answer comes here.`,
    already: (id) => `A person has it already: ${id}. The answer comes here.`,
    nothingAsked: 'Write here what it is about, then I pass it on to a person.',
    askersOnly: 'This was asked in private: only the one who asked can pass it on to a person.',
    gone: 'This question is no longer kept here. Ask it again, then I can pass it on.',
    failed: 'I could not pass this on just now. Please click again in a minute.',
  },
  de: {
    ask: 'Einen Menschen fragen',
    solved: 'Gelöst',
    unsolved: 'Noch nicht',
    handedOver: (id) => `Als ${id} an einen Menschen weitergegeben. Die Antwort kommt hier.`,
    already: (id) => `Das liegt schon bei einem Menschen: ${id}. Die Antwort kommt hier.`,
    nothingAsked: 'Schreiben Sie hier, worum es geht, dann gebe ich es an einen Menschen weiter.',
    askersOnly: 'Das wurde vertraulich gefragt: weitergeben kann es nur, wer gefragt hat.',
    gone: 'Diese Frage liegt hier nicht mehr vor. Stellen Sie sie noch einmal, dann kann ich sie weitergeben.',
    failed: 'Das konnte ich gerade nicht weitergeben. Bitte klicken Sie in einer Minute noch einmal.',
  },
  zh: {
    ask: '转人工',
    solved: '已解决',
    unsolved: '还没有',
    handedOver: (id) => `已转交给同事，编号 ${id}，会在这里回复。`,
    already: (id) => `同事已经在处理：${id}，会在这里回复。`,
    nothingAsked: '请在这里写明是什么事，我再转交给同事。',
    askersOnly: '这是私下提出的问题，只有提问者本人可以转交。',
    gone: '这个问题已不在记录中，请重新提问，我再转交。',
    failed: '刚才没能转交，请一分钟后再点一次。',
  },
};

export const personTexts = (text: string): PersonTexts => TEXTS[askerLanguageOf(text)];

/** A person would not mend these: nothing was asked, it was not for the assistant, or the asker stopped it. */
const NOTHING_TO_PASS_ON: ReadonlySet<Answer['stopReason']> = new Set([
  'empty_question',
  'not_allowed',
  'rate_limited',
  'cancelled',
  'folded_in',
]);

/** The button stands under the last part. */
export const withPersonButton = (parts: readonly OutboundPart[], { stopReason }: Answer): readonly OutboundPart[] =>
  NOTHING_TO_PASS_ON.has(stopReason)
    ? parts
    : parts.map((part, index) => (index === parts.length - 1 ? { ...part, withPerson: true } : part));

/** A question to the assistant as a ticket; its thread is the conversation. */
export const arrivalOf = (question: InboundMessage, how: ArrivalWay, isPrivate: boolean): TicketArrival => ({
  deliveryId: question.deliveryId,
  threadId: question.scope.conversationId,
  how,
  author: { id: question.author.id, displayName: question.author.displayName },
  place: question.place,
  isPrivate,
  address: question.address,
  external: null,
  subject: '',
  text: question.text,
  receivedAt: question.receivedAt,
  fields: {},
});

export interface HandOver {
  /** Of the question. */
  readonly arrival: TicketArrival;
  /** Who wishes it: `slack:U1`. */
  readonly userId: string;
  readonly source: 'slack' | 'discord';
  /** The same for the same wish, however often it comes. */
  readonly key: string;
  readonly answered?: { readonly turnId: string; readonly answer: Answer };
}

export type HandOverOutcome =
  | { readonly kind: 'handed_over' | 'already'; readonly ticketId: string }
  | { readonly kind: 'nothing_asked' }
  /** In words, for whoever wished it. */
  | { readonly kind: 'refused'; readonly why: string };

const sourcesOf = ({ text, citations }: Answer): string =>
  [text, ...citations.map(({ n, title, source }) => `[${n}] ${title} (${source})`)].join('\n');

const isOver = ({ status }: Ticket): boolean => status === 'solved' || status === 'closed';

/** Throws what the store throws; called again it goes on where it was. */
export const handOver = async (
  desk: Pick<TicketDesk, 'arrive' | 'hear' | 'act'>,
  { arrival, userId, source, key, answered }: HandOver,
): Promise<HandOverOutcome> => {
  const arrived = await desk.arrive(arrival);
  if (arrived.kind === 'not_a_ticket') return { kind: 'nothing_asked' };
  const { ticket: opened } = arrived;
  const act = (at: Ticket, action: Parameters<TicketDesk['act']>[0]['action']) =>
    desk.act({
      ticketId: at.id,
      action,
      actor: { kind: 'person', id: userId },
      source,
      key: `${action.kind}:${at.episode}:${key}`,
    });

  // By nobody of the team: the ticket's clock goes on, and it waits for its asker no more than before.
  const heard =
    answered === undefined
      ? arrived
      : await desk.hear({
          deliveryId: `answer:${answered.turnId}`,
          threadId: arrival.threadId,
          author: { id: 'assistant', displayName: '' },
          from: 'other',
          text: sourcesOf(answered.answer),
          at: arrival.receivedAt,
          source,
        });
  let ticket = 'ticket' in heard ? heard.ticket : opened;
  if (isOver(ticket)) {
    const outcome = await act(ticket, { kind: 'reopen', reason: 'a person was asked for' });
    if (!('ticket' in outcome)) return { kind: 'refused', why: outcomeText(outcome) ?? '' };
    ticket = outcome.ticket;
  }
  const mayKnow = !ticket.isPrivate || ticket.author.id === userId;
  if (ticket.handOff !== null && mayKnow) return { kind: 'already', ticketId: ticket.id };
  const outcome = await act(ticket, { kind: 'hand_off', to: null, reason: arrival.text });
  if (!('ticket' in outcome)) return { kind: 'refused', why: outcomeText(outcome) ?? '' };
  return { kind: outcome.kind === 'done' ? 'handed_over' : 'already', ticketId: ticket.id };
};

export interface PersonClick {
  readonly turnId: string;
  /** Who clicked, as the platform knows them. */
  readonly clicker: Author;
  /** Fewer than everyone read the place. */
  readonly isPrivate: boolean;
  /** Where the person's answer goes; by default where the assistant's went. */
  readonly addressFor?: (address: ReplyAddress) => ReplyAddress;
}

export interface PersonClickOptions {
  readonly gateway: Pick<Gateway, 'readTurn' | 'refusalFor'>;
  readonly desk: TicketDesk;
  readonly source: HandOver['source'];
  readonly logger: Logger;
}

/** Resolves with what the clicker alone is told; undefined for a bot. Never throws: a failure of ours is said too. */
export const createPersonClick =
  ({ gateway, desk, source, logger }: PersonClickOptions) =>
  async ({ turnId, clicker, isPrivate, addressFor = (address) => address }: PersonClick): Promise<string | undefined> => {
    if (clicker.kind === 'bot') return undefined;
    let texts = TEXTS.en;
    try {
      const asked = await gateway.readTurn(turnId);
      if (asked === undefined) return texts.gone;
      const { message, answer } = asked;
      texts = personTexts(message.text);
      const scope = { ...message.scope, userId: clicker.id };
      const refusal = gateway.refusalFor({ author: clicker, place: message.place, scope });
      // A person is asked, not the assistant: how many questions there were a minute is none of its concern.
      if (refusal !== undefined && refusal.reason !== 'rate_limited') return textsFor(languageOf(message.text)).notAllowed;
      // What one asked in private is theirs to tell.
      if (isPrivate && clicker.id !== message.author.id) return texts.askersOnly;
      const answered = answer === null ? {} : { answered: { turnId, answer } };
      const arrival = { ...arrivalOf(message, 'escalation', isPrivate), address: addressFor(message.address) };
      const outcome = await handOver(desk, { arrival, userId: clicker.id, source, key: `turn:${turnId}`, ...answered });
      switch (outcome.kind) {
        case 'nothing_asked':
          return texts.nothingAsked;
        case 'refused':
          return outcome.why;
        case 'handed_over':
          return texts.handedOver(outcome.ticketId);
        case 'already':
          return texts.already(outcome.ticketId);
      }
    } catch (error) {
      logger.error('ask_person_failed', { error: error as Error });
      return texts.failed;
    }
  };
