/** `/triage`, the menu of a message, and the buttons, menus and dialogs of tickets. The first answer goes out before anything else. */
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  ComponentType,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
  type UserSelectMenuInteraction,
} from 'discord.js';
import { asksNothing } from '../../agent/asks-nothing.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { TicketButton } from '../../agent/ports/ticket-board.ts';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import { languageOf, type Texts, textsFor } from '../../agent/texts.ts';
import { cutInto } from '../approvals-card.ts';
import { escapeDiscord } from '../markdown-discord.ts';
import { cutText } from '../question.ts';
import {
  actionOf,
  areWordsTaken,
  editableOf,
  NOTHING_ASKED,
  OTHER_WORDS_TAKEN,
  outcomeText,
  REPLY,
  textAction,
} from '../ticket-actions.ts';
import { personId, placeId } from './address.ts';
import { fenceable, fenced } from './approvals.ts';
import { textOf } from './intake.ts';
import { TICKET_MENU, TRIAGE_COMMAND, TRIAGE_OPTION } from './register.ts';
import { asksForChoice, choiceRows, readControlId, seenEpisodeOf, type TicketControl, ticketEmbeds } from './ticket-card.ts';
import { dialogDetail, draftDialog, readDraft } from './ticket-draft.ts';
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
/** With a fence round it it fits into a message. */
const MAX_RETURNED_UNITS = 1_900;
const NOT_UNDERSTOOD = 'That was not understood; choose again.';
const DRAFT_GONE = 'That is gone, or was changed: the card shows what is there.';
const NOTHING_WRITTEN = 'Nothing was written: nothing is changed.';
const NOT_KNOWN = 'It is not known whether this was kept: look at the ticket before you send it again.';
const NOT_TAKEN = 'What you wrote was not taken. Here it is, to be copied:';
const TOO_LONG = (length: number): string =>
  `The draft is longer than a dialog holds (${length} characters): send it, or drop it and answer in the thread.`;
const ASKS_FOR_TEXT: ReadonlySet<TicketButton> = new Set(['tell_members', 'reply', 'draft_edit', 'article_edit']);
const EDITS: ReadonlySet<TicketButton> = new Set(['draft_edit', 'article_edit']);

/** Any of its kind: whether somebody may choose does not depend on what. */
const exampleOf = (button: TicketButton, userId: string, now: number): TicketAction | undefined => {
  const values: Readonly<Partial<Record<TicketButton, string>>> = {
    assign: userId,
    snooze: '60',
    set_category: 'any',
    set_priority: 'normal',
  };
  const value = values[button];
  return value === undefined ? undefined : actionOf({ button, userId, value, now });
};

export const createTicketClicks = ({ tickets, clock, logger }: TicketClickOptions) => {
  const { desk } = tickets;
  const actorOf = (interaction: Interaction) => ({ kind: 'person', id: personId(interaction.user.id) }) as const;

  const whereOf = ({ channelId }: Pick<Interaction, 'channelId'>) => (channelId === null ? {} : { placeId: placeId(channelId) });

  /** What came of it, in words; undefined where the card says it. A failure of ours is said too. */
  const act = async (
    interaction: ButtonInteraction | Menu | ModalSubmitInteraction,
    control: TicketControl,
    action: TicketAction | undefined,
  ): Promise<string | undefined> => {
    if (action === undefined) return NOT_UNDERSTOOD;
    try {
      const { ticketId, seenVersion } = control;
      const seenEpisode = seenEpisodeOf(control);
      const seen = {
        ...(seenVersion === undefined ? {} : { seenVersion }),
        ...(seenEpisode === undefined ? {} : { seenEpisode }),
      };
      const key = `discord:${interaction.id}`;
      const actor = actorOf(interaction);
      return outcomeText(await desk.act({ ticketId, action, actor, source: 'discord', key, ...whereOf(interaction), ...seen }));
    } catch (error) {
      logger.error('discord_ticket_failed', { error: error as Error });
      return textsFor('en').tryAgain;
    }
  };

  const viewFor = (interaction: Interaction, ticketId: string) =>
    desk.view(ticketId, { userId: personId(interaction.user.id), place: null });

  /** Nobody writes for nothing, and nobody reads a draft who may not edit it. In words, why no dialog opens. */
  const openDialog = async (interaction: ButtonInteraction, control: TicketControl): Promise<string | undefined> => {
    const { button, ticketId } = control;
    const view = await viewFor(interaction, ticketId);
    if (view === undefined) return outcomeText({ kind: 'not_found' });
    const edited = EDITS.has(button) ? editableOf(button, view.ticket) : { id: button === 'reply' ? REPLY : '', text: '' };
    if (edited === undefined || (EDITS.has(button) && edited.id !== control.detail)) return DRAFT_GONE;
    const { id: detail, text } = edited;
    const action = textAction(detail, text, '');
    const refusal = await desk.refusalOf({
      ticketId,
      action,
      actor: actorOf(interaction),
      source: 'discord',
      ...whereOf(interaction),
    });
    if (refusal !== undefined) return outcomeText(refusal);
    const dialog = draftDialog({ ticketId, detail, seenVersion: view.ticket.version, dialogId: interaction.id }, text);
    if (dialog === undefined) return TOO_LONG(text.length);
    await interaction.showModal(dialog);
    return undefined;
  };

  /** The menus of a choice, or in words why there are none. */
  const choicesFor = async (interaction: ButtonInteraction, control: TicketControl) => {
    const { button, ticketId } = control;
    const view = await viewFor(interaction, ticketId);
    const actor = actorOf(interaction);
    const example = exampleOf(button, actor.id, clock.now());
    const asked = { ticketId, actor, source: 'discord', ...whereOf(interaction) };
    const refusal = example === undefined ? undefined : await desk.refusalOf({ ...asked, action: example });
    const card = button === 'article_audience' ? view?.article : view?.card;
    const components = card == null ? [] : choiceRows(control, card);
    const why = outcomeText(refusal ?? { kind: 'not_found' });
    return refusal !== undefined || components.length === 0 ? why : components;
  };

  const onButton = async (interaction: ButtonInteraction, control: TicketControl): Promise<void> => {
    const { button, ticketId, detail } = control;
    if (button === 'show') {
      await interaction.deferReply({ flags: EPHEMERAL });
      const view = await viewFor(interaction, ticketId);
      const why = outcomeText({ kind: 'not_found' }) ?? '';
      await interaction.editReply(view === undefined ? { content: why } : ticketEmbeds(view.card));
      return;
    }
    if (ASKS_FOR_TEXT.has(button)) {
      const why = await openDialog(interaction, control);
      if (why !== undefined) await interaction.reply({ content: escapeDiscord(why), flags: EPHEMERAL });
      return;
    }
    if (asksForChoice(button)) {
      await interaction.deferReply({ flags: EPHEMERAL });
      const found = await choicesFor(interaction, control);
      await interaction.editReply(
        typeof found === 'object' ? { content: `**${ticketId}**`, components: found } : escapeDiscord(found ?? NOT_UNDERSTOOD),
      );
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
      act(interaction, control, action),
    ]);
    if (deferred && text !== undefined) await interaction.followUp({ content: escapeDiscord(text), flags: EPHEMERAL });
  };

  const onMenu = async (interaction: Menu, control: TicketControl): Promise<void> => {
    await interaction.deferUpdate();
    const { button } = control;
    const [chosen = ''] = interaction.values;
    const value = button === 'assign' && chosen !== '' ? personId(chosen) : chosen;
    const action = actionOf({ button, userId: personId(interaction.user.id), value, now: clock.now() });
    const text = (await act(interaction, control, action)) ?? 'Done.';
    await interaction.editReply({ content: escapeDiscord(text), components: [] });
  };

  /**
   * As `act`, of a dialog: however often it comes, and whatever is put right in it, it is taken once. A failure whose outcome is
   * unknown is asked about once more.
   */
  const submit = async (
    interaction: ModalSubmitInteraction,
    { ticketId, seenVersion }: TicketControl,
    action: TicketAction,
    key: string,
  ): Promise<string | undefined> => {
    const actor = actorOf(interaction);
    // What is said through the desk does not stand in the asker's thread yet.
    const source = action.kind === 'comment' ? 'desk' : 'discord';
    const seen = seenVersion === undefined ? {} : { seenVersion };
    const run = () => desk.act({ ticketId, action, actor, source, key, ...whereOf(interaction), ...seen });
    try {
      const outcome = await run().catch((error: unknown) => {
        logger.warn('discord_ticket_again', { error: error as Error });
        return run();
      });
      if (outcome.kind !== 'repeated') return outcomeText(outcome);
      return (await areWordsTaken(desk, ticketId, actor.id, action)) ? undefined : OTHER_WORDS_TAKEN;
    } catch (error) {
      logger.error('discord_ticket_failed', { error: error as Error });
      return NOT_KNOWN;
    }
  };

  /** Discord closes the dialog whatever comes of it: what was not taken is given back. */
  const onDraft = async (interaction: ModalSubmitInteraction, control: TicketControl): Promise<void> => {
    await interaction.deferReply({ flags: EPHEMERAL });
    const inputs = [...interaction.fields.fields.values()].filter((field) => field.type === ComponentType.TextInput);
    const text = readDraft(inputs);
    const draftId = control.button === 'tell_members' ? '' : dialogDetail(control.detail);
    const key = `discord:${interaction.customId}:${interaction.user.id}`;
    const why = text === '' ? NOTHING_WRITTEN : await submit(interaction, control, textAction(draftId, text, key), key);
    if (why === undefined) {
      const done = draftId === REPLY ? 'On its way to the asker.' : 'Kept; the card shows it.';
      await interaction.editReply(draftId === '' ? 'Told to all.' : done);
      return;
    }
    const isUnsaid = text !== '' && why !== NOT_KNOWN && why !== OTHER_WORDS_TAKEN;
    await interaction.editReply(escapeDiscord(isUnsaid ? `${why}\n${NOT_TAKEN}` : why));
    for (const piece of cutInto(fenceable({ details: text }), MAX_RETURNED_UNITS))
      await interaction.followUp({ content: fenced(piece), flags: EPHEMERAL });
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
    if (asksNothing(text)) return void (await interaction.reply({ content: NOTHING_ASKED, flags: EPHEMERAL }));
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

  const handle = async (interaction: Interaction): Promise<boolean> => {
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

  /** False where the interaction is nothing of tickets. Whoever clicked is told of a failure. */
  return async (interaction: Interaction): Promise<boolean> => {
    try {
      return await handle(interaction);
    } catch (error) {
      if (!interaction.isRepliable()) throw error;
      logger.error('discord_ticket_failed', { error: error as Error });
      const content = textsFor('en').tryAgain;
      const isAnswered = interaction.deferred || interaction.replied;
      await (isAnswered ? interaction.editReply(content) : interaction.reply({ content, flags: EPHEMERAL }));
      return true;
    }
  };
};
