/** `/triage`, the menu of a message, and the buttons, menus and dialogs of tickets. The first answer goes out before anything else. */
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
  type UserSelectMenuInteraction,
} from 'discord.js';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import { languageOf, type Texts, textsFor } from '../../agent/texts.ts';
import { escapeDiscord } from '../markdown-discord.ts';
import { cutText } from '../question.ts';
import { actionOf, editableOf, outcomeText, REPLY, textAction } from '../ticket-actions.ts';
import { personId } from './address.ts';
import { textOf } from './intake.ts';
import { TICKET_MENU, TRIAGE_COMMAND, TRIAGE_OPTION } from './register.ts';
import { asksForChoice, choiceRows, DRAFT_INPUT, draftDialog, readControlId, type TicketControl } from './ticket-card.ts';
import type { DiscordTickets } from './tickets.ts';

export interface TicketClickOptions {
  readonly tickets: DiscordTickets;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Menu = StringSelectMenuInteraction | UserSelectMenuInteraction;

const EPHEMERAL = MessageFlags.Ephemeral;
/** Escaped it is at most twice as long, and fits into a message. */
const MAX_SHOWN_UNITS = 900;
const NOTHING_ASKED = 'Nothing in it asks for help: no ticket was made.';
const NOT_UNDERSTOOD = 'That was not understood; choose again.';
const NO_TICKET = 'There is no such ticket, or it is not for you to see.';
const DRAFT_GONE = 'That is gone, or was changed: the card shows what is there.';

export const createTicketClicks = ({ tickets, clock, logger }: TicketClickOptions) => {
  const { desk } = tickets;

  /** What came of it, in words; undefined where the card says it. A failure of ours is said too. */
  const act = async (
    interaction: ButtonInteraction | Menu | ModalSubmitInteraction,
    ticketId: string,
    action: TicketAction | undefined,
  ): Promise<string | undefined> => {
    if (action === undefined) return NOT_UNDERSTOOD;
    try {
      const actor = { kind: 'person', id: personId(interaction.user.id) } as const;
      return outcomeText(await desk.act({ ticketId, action, actor, source: 'discord', key: `discord:${interaction.id}` }));
    } catch (error) {
      logger.error('discord_ticket_failed', { error: error as Error });
      return textsFor('en').tryAgain;
    }
  };

  const viewFor = (interaction: Interaction, ticketId: string) =>
    desk.view(ticketId, { userId: personId(interaction.user.id), place: null });

  const onButton = async (interaction: ButtonInteraction, control: TicketControl): Promise<void> => {
    const { button, ticketId, detail } = control;
    if (button === 'tell_members' || button === 'reply') {
      await interaction.showModal(draftDialog(ticketId, button === 'reply' ? REPLY : '', ''));
      return;
    }
    if (button === 'draft_edit' || button === 'article_edit') {
      const view = await viewFor(interaction, ticketId);
      const edited = view === undefined ? undefined : editableOf(button, view.ticket);
      if (edited?.id !== detail) await interaction.reply({ content: DRAFT_GONE, flags: EPHEMERAL });
      else await interaction.showModal(draftDialog(ticketId, edited.id, edited.text));
      return;
    }
    if (asksForChoice(button)) {
      await interaction.deferReply({ flags: EPHEMERAL });
      const view = await viewFor(interaction, ticketId);
      const card = button === 'article_audience' ? view?.article : view?.card;
      const components = card == null ? [] : choiceRows(control, card);
      await interaction.editReply(components.length === 0 ? { content: NO_TICKET } : { content: `**${ticketId}**`, components });
      return;
    }
    const action = actionOf({ button, userId: personId(interaction.user.id), value: detail, now: clock.now() });
    const [deferred, text] = await Promise.all([
      interaction.deferUpdate().then(
        () => true,
        (error: unknown) => {
          logger.warn('discord_defer_failed', { error: error as Error });
          return false;
        },
      ),
      act(interaction, ticketId, action),
    ]);
    if (deferred && text !== undefined) await interaction.followUp({ content: escapeDiscord(text), flags: EPHEMERAL });
  };

  const onMenu = async (interaction: Menu, { button, ticketId }: TicketControl): Promise<void> => {
    await interaction.deferUpdate();
    const [chosen = ''] = interaction.values;
    const value = button === 'assign' && chosen !== '' ? personId(chosen) : chosen;
    const action = actionOf({ button, userId: personId(interaction.user.id), value, now: clock.now() });
    const text = (await act(interaction, ticketId, action)) ?? 'Done.';
    await interaction.editReply({ content: escapeDiscord(text), components: [] });
  };

  const onDraft = async (interaction: ModalSubmitInteraction, { button, ticketId, detail }: TicketControl): Promise<void> => {
    await interaction.deferReply({ flags: EPHEMERAL });
    const text = interaction.fields.getTextInputValue(DRAFT_INPUT).trim();
    const draftId = button === 'tell_members' ? '' : detail;
    const action = text === '' ? undefined : textAction(draftId, text, `discord:${interaction.id}`);
    const done = draftId === '' ? 'Told to all.' : draftId === REPLY ? 'On its way to the asker.' : 'Kept; the card shows it.';
    await interaction.editReply(escapeDiscord((await act(interaction, ticketId, action)) ?? done));
  };

  /** In words, what came of the wish for a ticket. */
  const arriving = async (run: () => ReturnType<DiscordTickets['arrive']>, texts: Texts): Promise<string> => {
    try {
      const outcome = await run();
      if (outcome === undefined) return texts.notAllowed;
      return outcome.kind === 'not_a_ticket' ? NOTHING_ASKED : `🎫 **${outcome.ticket.id}**`;
    } catch (error) {
      logger.error('discord_ticket_failed', { error: error as Error });
      return texts.tryAgain;
    }
  };

  const onTriage = async (interaction: ChatInputCommandInteraction): Promise<void> => {
    const text = interaction.options.getString(TRIAGE_OPTION) ?? '';
    const answer = await interaction.deferReply({ withResponse: true });
    const answerId = answer.interaction.responseMessageId ?? interaction.id;
    const said = await arriving(() => tickets.arriveWith(interaction, text, answerId), textsFor(languageOf(text)));
    const shown = escapeDiscord(cutText(text, MAX_SHOWN_UNITS)).replaceAll('\n', '\n> ');
    await interaction.editReply({ content: `> ${shown}\n${said}`, allowedMentions: { parse: [] } });
  };

  const onMessageMenu = async (interaction: MessageContextMenuCommandInteraction): Promise<void> => {
    await interaction.deferReply({ flags: EPHEMERAL });
    const message = interaction.targetMessage;
    const text = textOf(message);
    const said = await arriving(
      () => tickets.arrive({ message, text }, 'shortcut', interaction.user),
      textsFor(languageOf(text)),
    );
    await interaction.editReply(said);
  };

  /** False where the interaction is nothing of tickets. */
  return async (interaction: Interaction): Promise<boolean> => {
    if (interaction.isChatInputCommand() && interaction.commandName === TRIAGE_COMMAND) await onTriage(interaction);
    else if (interaction.isMessageContextMenuCommand() && interaction.commandName === TICKET_MENU)
      await onMessageMenu(interaction);
    else {
      const control = 'customId' in interaction ? readControlId(interaction.customId) : undefined;
      if (control === undefined) return false;
      if (interaction.isButton()) await onButton(interaction, control);
      else if (interaction.isStringSelectMenu() || interaction.isUserSelectMenu()) await onMenu(interaction, control);
      else if (interaction.isModalSubmit()) await onDraft(interaction, control);
      else return false;
    }
    return true;
  };
};
