/** `/ask`, the buttons and their dialog. Discord waits three seconds for a first answer, so that goes out first. */

import {
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { InboundMessage } from '../../agent/conversation.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { type Language, languageOf, textsFor } from '../../agent/texts.ts';
import { cutInto, decisionText } from '../approvals-card.ts';
import { NO_TICKETS } from '../ticket-actions.ts';
import { conversationIn, conversationOfDm, personId, placeId, toReplyAddress } from './address.ts';
import { fenceable, fenced } from './approvals.ts';
import { REASON_INPUT, reasonDialog } from './components.ts';
import { readCustomId } from './custom-id.ts';
import type { Members } from './members.ts';
import { ASK_COMMAND, QUESTION_OPTION } from './register.ts';

export interface InteractionOptions {
  readonly gateway: Gateway;
  readonly members: Members;
  readonly clock: Clock;
  readonly logger: Logger;
  /** False while the channel stops: nothing more is taken in. */
  readonly isTaking: () => boolean;
  /** Resolves with false for what is nothing of tickets. Undefined where tickets are not set up. */
  readonly onTicket?: ((interaction: Interaction) => Promise<boolean>) | undefined;
  /** Resolves with what the clicker is told. Undefined where tickets are not set up. */
  readonly onAskPerson?: ((interaction: ButtonInteraction, turnId: string) => Promise<string | undefined>) | undefined;
}

const EPHEMERAL = MessageFlags.Ephemeral;
/** So that a piece fits into a message, with a fence round it. */
const SHOWN_UNITS = 1_900;
const languageOfLocale = (locale: string): Language => (locale.startsWith('zh') ? 'zh' : 'en');

export const createInteractionHandler = ({
  gateway,
  members,
  clock,
  logger,
  isTaking,
  onTicket,
  onAskPerson,
}: InteractionOptions) => {
  const inbound = async (interaction: ChatInputCommandInteraction): Promise<InboundMessage> => {
    const { guildId, channelId, user } = interaction;
    const channel = interaction.channel;
    const threadId = channel?.isThread() === true ? channel.id : undefined;
    const isPerson = guildId !== null || user.bot || (await members.has(user.id));
    const member = interaction.inCachedGuild() ? interaction.member : undefined;
    return {
      deliveryId: `discord:${interaction.id}`,
      scope: {
        tenantId: `discord:${guildId ?? 'dm'}`,
        channel: 'discord',
        // In a thread it belongs to the thread; in a channel it starts a conversation that replies continue.
        conversationId: guildId === null ? conversationOfDm(channelId) : conversationIn(guildId, threadId ?? interaction.id),
        userId: personId(user.id),
      },
      author: {
        id: personId(user.id),
        displayName: member?.displayName ?? user.displayName,
        kind: user.bot ? 'bot' : isPerson ? 'person' : 'external',
      },
      place: {
        kind: guildId === null ? 'direct' : 'channel',
        id: placeId(channel?.isThread() === true ? (channel.parentId ?? channelId) : channelId),
        ...(channel?.type === ChannelType.PrivateThread ? { isPrivateThread: true } : {}),
      },
      trigger: 'command',
      text: interaction.options.getString(QUESTION_OPTION) ?? '',
      sourceMessageId: null,
      address: toReplyAddress({
        kind: 'command',
        channel: channelId,
        interaction: interaction.id,
        application: interaction.applicationId,
        token: interaction.token,
        user: user.id,
      }),
      receivedAt: clock.now(),
    };
  };

  const onAsk = async (interaction: ChatInputCommandInteraction): Promise<void> => {
    const deferring = interaction.deferReply();
    const accepting = inbound(interaction).then((message) => gateway.accept(message));
    const [deferred, accepted] = await Promise.allSettled([deferring, accepting]);
    // The question is in the inbox all the same; its answer goes to the channel.
    if (deferred.status === 'rejected') logger.warn('discord_defer_failed', { error: deferred.reason as Error });
    const texts = textsFor(languageOf(interaction.options.getString(QUESTION_OPTION) ?? ''));
    if (accepted.status === 'rejected') {
      logger.error('discord_accept_failed', { error: accepted.reason as Error });
      if (deferred.status === 'fulfilled') await interaction.editReply(texts.tryAgain);
    } else if (accepted.value === 'refused' && deferred.status === 'fulfilled') {
      // The gateway has said why before and says no more; Discord would show "thinking" for a quarter of an hour.
      await interaction.editReply(texts.notAllowed);
    }
  };

  const record = async (
    interaction: ButtonInteraction | ModalSubmitInteraction,
    language: Language,
    feedback: { readonly turnId: string; readonly verdict: 'up' | 'down'; readonly reason: string },
  ): Promise<void> => {
    const deferring = interaction.deferReply({ flags: EPHEMERAL });
    const recording = gateway.recordFeedback({ ...feedback, userId: personId(interaction.user.id) });
    const [deferred, recorded] = await Promise.allSettled([deferring, recording]);
    if (recorded.status === 'rejected') logger.error('discord_feedback_failed', { error: recorded.reason as Error });
    if (deferred.status === 'rejected') throw deferred.reason;
    const texts = textsFor(language);
    await interaction.editReply(recorded.status === 'fulfilled' ? texts.feedbackThanks : texts.tryAgain);
  };

  const stop = async (interaction: ButtonInteraction, language: Language, turnId: string): Promise<void> => {
    const deferring = interaction.deferReply({ flags: EPHEMERAL });
    const [deferred, stopped] = await Promise.allSettled([deferring, gateway.stopTurn(turnId, personId(interaction.user.id))]);
    if (stopped.status === 'rejected') logger.error('discord_stop_failed', { error: stopped.reason as Error });
    if (deferred.status === 'rejected') throw deferred.reason;
    const texts = textsFor(language);
    const said = { stopped: texts.cancelled, not_yours: texts.notYoursToStop, over: texts.noRunToStop };
    await interaction.editReply(stopped.status === 'fulfilled' ? said[stopped.value] : texts.tryAgain);
  };

  const decide = async (interaction: ButtonInteraction, language: Language, id: string, action: 'approve' | 'deny') => {
    const deferring = interaction.deferReply({ flags: EPHEMERAL });
    const deciding = gateway.decideApproval(id, personId(interaction.user.id), action === 'approve' ? 'approved' : 'denied');
    const [deferred, decided] = await Promise.allSettled([deferring, deciding]);
    if (decided.status === 'rejected') logger.error('discord_decision_failed', { error: decided.reason as Error });
    if (deferred.status === 'rejected') throw deferred.reason;
    const texts = textsFor(language);
    await interaction.editReply(decided.status === 'fulfilled' ? decisionText(decided.value, texts.approval) : texts.tryAgain);
  };

  const show = async (interaction: ButtonInteraction, language: Language, id: string): Promise<void> => {
    await interaction.deferReply({ flags: EPHEMERAL });
    const card = await gateway.readApproval(id);
    const [first = textsFor(language).approval.over, ...rest] = (
      card === undefined ? [] : cutInto(fenceable(card), SHOWN_UNITS)
    ).map(fenced);
    await interaction.editReply(first);
    for (const content of rest) await interaction.followUp({ content, flags: EPHEMERAL });
  };

  const askPerson = async (interaction: ButtonInteraction, turnId: string): Promise<void> => {
    // Whatever becomes of the click's own answer, the wish counts.
    const [deferred, said] = await Promise.allSettled([
      interaction.deferReply({ flags: EPHEMERAL }),
      onAskPerson?.(interaction, turnId) ?? NO_TICKETS,
    ]);
    if (deferred.status === 'rejected') throw deferred.reason;
    await interaction.editReply((said.status === 'fulfilled' ? said.value : undefined) ?? textsFor('en').tryAgain);
  };

  const onButton = async (interaction: ButtonInteraction): Promise<void> => {
    const clicked = readCustomId(interaction.customId);
    if (clicked === undefined || clicked.action === 'why') {
      await interaction.deferUpdate();
      return;
    }
    const { id: turnId, language, action } = clicked;
    if (action === 'approve' || action === 'deny') return decide(interaction, language, turnId, action);
    if (action === 'show') return show(interaction, language, turnId);
    if (action === 'person') return askPerson(interaction, turnId);
    if (clicked.action === 'stop') return stop(interaction, language, turnId);
    if (clicked.action === 'up') return record(interaction, language, { turnId, verdict: 'up', reason: '' });
    // The verdict counts even when the dialog is closed without a reason.
    const showing = interaction.showModal(reasonDialog(turnId, language));
    const recording = gateway.recordFeedback({ turnId, userId: personId(interaction.user.id), verdict: 'down', reason: '' });
    const [shown, recorded] = await Promise.allSettled([showing, recording]);
    if (recorded.status === 'rejected') logger.error('discord_feedback_failed', { error: recorded.reason as Error });
    if (shown.status === 'rejected') throw shown.reason;
  };

  const onModal = async (interaction: ModalSubmitInteraction): Promise<void> => {
    const submitted = readCustomId(interaction.customId);
    if (submitted?.action !== 'why') {
      await interaction.deferUpdate();
      return;
    }
    const reason = interaction.fields.getTextInputValue(REASON_INPUT).trim();
    await record(interaction, submitted.language, { turnId: submitted.id, verdict: 'down', reason });
  };

  /** Every interaction gets an answer. */
  return async (interaction: Interaction): Promise<void> => {
    if (interaction.isAutocomplete()) return interaction.respond([]);
    if (!interaction.isRepliable()) return;
    const texts = textsFor(languageOfLocale(interaction.locale));
    if (!isTaking()) {
      await interaction.reply({ content: texts.tryAgain, flags: EPHEMERAL });
      return;
    }
    if ((await onTicket?.(interaction)) === true) return;
    if (interaction.isChatInputCommand() && interaction.commandName === ASK_COMMAND) return onAsk(interaction);
    if (interaction.isButton()) return onButton(interaction);
    if (interaction.isModalSubmit()) return onModal(interaction);
    // A command of an earlier version, still registered somewhere.
    await interaction.reply({ content: texts.commandUsage(`/${ASK_COMMAND}`), flags: EPHEMERAL });
  };
};
