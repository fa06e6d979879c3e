/** The buttons under an answer: a verdict is stored at once, a bad one asks for its reason. Every click gets an answer. */
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { type Language, languageOf, textsFor } from '../../agent/texts.ts';
import { personId } from './address.ts';
import { ACTION_UP, turnOfKey } from './blocks.ts';

export const FEEDBACK_VIEW = 'threadwise_reason';
const REASON_BLOCK = 'threadwise_reason_block';
const REASON_INPUT = 'threadwise_reason_input';

export interface Click {
  readonly actionId: string;
  readonly value: unknown;
  readonly userId: string;
  readonly channelId: string;
  readonly threadTs: string | undefined;
  readonly triggerId: string;
  /** Of the message under which the button stands; it tells the language. */
  readonly messageText: string;
}

export interface ReasonInput {
  readonly userId: string;
  readonly privateMetadata: string;
  readonly reason: string;
}

export interface FeedbackHandlers {
  /** Throws only when the verdict could not be stored: then the click must not be acknowledged. */
  onClick(click: Click): Promise<void>;
  onReason(input: ReasonInput): Promise<void>;
}

/** What the dialog carries to its end. It comes back from outside, so it is read with care. */
interface DialogState {
  readonly turnId: string;
  readonly channelId: string;
  readonly threadTs: string;
  readonly language: Language;
}

const readState = (text: string): DialogState | undefined => {
  try {
    const [turnId, channelId, threadTs, language]: unknown[] = JSON.parse(text) as unknown[];
    if (typeof turnId !== 'string' || typeof channelId !== 'string' || typeof threadTs !== 'string') return undefined;
    return { turnId, channelId, threadTs, language: language === 'zh' ? 'zh' : 'en' };
  } catch {
    return undefined;
  }
};

const plain = (text: string) => ({ type: 'plain_text', text, emoji: true }) as const;

const dialog = ({ turnId, channelId, threadTs, language }: DialogState): ModalView => {
  const texts = textsFor(language);
  return {
    type: 'modal',
    callback_id: FEEDBACK_VIEW,
    private_metadata: JSON.stringify([turnId, channelId, threadTs, language]),
    // A title has room for 24 characters.
    title: plain(texts.notHelpful),
    submit: plain('OK'),
    blocks: [
      {
        type: 'input',
        block_id: REASON_BLOCK,
        optional: true,
        label: plain(texts.feedbackWhy),
        element: {
          type: 'plain_text_input',
          action_id: REASON_INPUT,
          multiline: true,
          max_length: 1000,
          placeholder: plain(texts.feedbackWhyHint),
        },
      },
    ],
  };
};

/** The reason of a submitted dialog's `state.values`. */
export const readReason = (values: Readonly<Record<string, Readonly<Record<string, { value?: string | null }>>>>): string =>
  values[REASON_BLOCK]?.[REASON_INPUT]?.value ?? '';

export const createFeedback = (options: {
  readonly gateway: Gateway;
  readonly client: WebClient;
  readonly logger: Logger;
}): FeedbackHandlers => {
  const { gateway, client, logger } = options;

  const thank = async (userId: string, channelId: string, threadTs: string, language: Language): Promise<void> => {
    try {
      await client.chat.postEphemeral({
        channel: channelId,
        user: userId,
        text: textsFor(language).feedbackThanks,
        ...(threadTs === '' ? {} : { thread_ts: threadTs }),
      });
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
    }
  };

  return {
    onClick: async (click) => {
      const turnId = turnOfKey(click.value);
      if (turnId === undefined) return;
      const verdict = click.actionId === ACTION_UP ? 'up' : 'down';
      const state: DialogState = {
        turnId,
        channelId: click.channelId,
        threadTs: click.threadTs ?? '',
        language: languageOf(click.messageText),
      };
      // The dialog's permit lives for three seconds, so it is asked for while the verdict is stored.
      const opening = verdict === 'down' ? client.views.open({ trigger_id: click.triggerId, view: dialog(state) }) : undefined;
      const opened = opening?.then(
        () => true,
        (error: unknown) => {
          logger.warn('slack_dialog_failed', { error: error as Error });
          return false;
        },
      );
      await gateway.recordFeedback({ turnId, userId: personId(click.userId), verdict, reason: '' });
      if ((await opened) !== true) await thank(click.userId, state.channelId, state.threadTs, state.language);
    },
    onReason: async ({ userId, privateMetadata, reason }) => {
      const state = readState(privateMetadata);
      if (state === undefined) return;
      await gateway.recordFeedback({ turnId: state.turnId, userId: personId(userId), verdict: 'down', reason });
      await thank(userId, state.channelId, state.threadTs, state.language);
    },
  };
};
