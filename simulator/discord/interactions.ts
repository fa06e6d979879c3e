import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { apiError, formError } from './api-error.ts';
import type { CallbackBody, MessageBody } from './bodies.ts';
import type { SimEvents } from './events.ts';
import type { Messages } from './messages.ts';
import { appPermissions, channelJson, isLoading, memberJson, messageJson, userJson } from './serialize.ts';
import { FLAG, type SimChannel, type SimInteractionOrigin, type SimMessage, type World } from './world.ts';

/** interactions/receiving-and-responding: deadlines, callbacks, the original response and follow-ups. */

const FIRST_ANSWER_MS = 3_000;
const TOKEN_LIFE_MS = 900_000;

export interface ModalView {
  readonly customId: string;
  readonly title: string;
  /** Custom ids of the text inputs. */
  readonly inputs: readonly string[];
  /** What stands in them already, by their ids. */
  readonly values: Readonly<Record<string, string>>;
}

export interface SimInteraction {
  readonly id: string;
  readonly token: string;
  readonly type: 2 | 3 | 4 | 5;
  readonly channelId: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly message: SimMessage | null;
  readonly origin: SimInteractionOrigin;
  /** The callback's type, once there is one. */
  answeredWith: number | null;
  answeredAt: number | null;
  originalId: string | null;
  modal: ModalView | null;
  choices: readonly { readonly name: string; readonly value: string | number }[] | null;
  /** What the person reads when nothing came in time. */
  failed: boolean;
}

export interface NewInteraction {
  readonly type: 2 | 3 | 4 | 5;
  readonly channel: SimChannel;
  readonly userId: string;
  readonly name: string;
  readonly data: object;
  readonly message?: SimMessage;
  readonly locale?: string;
}

/** components/reference#text-input */
const inputShape = z.object({
  custom_id: z.string().min(1).max(100),
  label: z.string().min(1).max(45).optional(),
  max_length: z.int().min(1).max(4_000).default(4_000),
  value: z.string().default(''),
});
const MAX_MODAL_TITLE = 45;
const MAX_MODAL_ROWS = 5;

const textInputs = (components: readonly unknown[]): z.infer<typeof inputShape>[] =>
  components.flatMap((component) => {
    if (typeof component !== 'object' || component === null) return [];
    if (Reflect.get(component, 'type') === 4) {
      const input = inputShape.safeParse(component);
      if (!input.success || input.data.value.length > input.data.max_length)
        throw formError(['data', 'components'], 'BASE_TYPE_BAD_LENGTH', 'An input is too long, or none at all.');
      return [input.data];
    }
    const inner: unknown = Reflect.get(component, 'components');
    if (Array.isArray(inner)) return textInputs(inner);
    const single: unknown = Reflect.get(component, 'component');
    return single === undefined ? [] : textInputs([single]);
  });

export const createInteractions = (world: World, events: SimEvents, messages: Messages) => {
  const byId = new Map<string, SimInteraction>();
  const byToken = new Map<string, SimInteraction>();

  const start = (input: NewInteraction): SimInteraction => {
    const { channel } = input;
    const id = world.nextId();
    const interaction: SimInteraction = {
      id,
      token: `aW50ZXJhY3Rpb246${randomUUID().replaceAll('-', '')}`,
      type: input.type,
      channelId: channel.id,
      userId: input.userId,
      createdAt: world.clock.now(),
      message: input.message ?? null,
      origin: {
        id,
        type: input.type === 4 ? 2 : input.type,
        name: input.name,
        userId: input.userId,
        interactedMessageId: input.message?.id ?? null,
      },
      answeredWith: null,
      answeredAt: null,
      originalId: null,
      modal: null,
      choices: null,
      failed: false,
    };
    byId.set(id, interaction);
    byToken.set(interaction.token, interaction);
    world.clock.after(FIRST_ANSWER_MS, () => {
      if (interaction.answeredWith === null) interaction.failed = true;
    });
    const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
    const user = userJson(world.user(input.userId));
    events.interactionCreated({
      id,
      application_id: world.applicationId,
      type: input.type,
      token: interaction.token,
      version: 1,
      data: input.data,
      channel_id: channel.id,
      channel: channelJson(world, channel),
      locale: input.locale ?? 'en-US',
      app_permissions: appPermissions(world, channel),
      entitlements: [],
      authorizing_integration_owners: guild === undefined ? { '1': input.userId } : { '0': guild.id },
      context: guild === undefined ? 1 : 0,
      attachment_size_limit: 10_485_760,
      ...(guild === undefined
        ? { user }
        : {
            guild_id: guild.id,
            guild_locale: 'en-US',
            guild: { id: guild.id, locale: 'en-US', features: [] },
            member: { ...memberJson(), user, permissions: String(guild.everyone) },
          }),
      ...(input.message === undefined ? {} : { message: messageJson(world, input.message) }),
    });
    return interaction;
  };

  const original = (interaction: SimInteraction): SimMessage => {
    const channel = world.channel(interaction.channelId);
    const found = channel.messages.find((message) => message.id === interaction.originalId);
    if (found === undefined) throw apiError(10008);
    return found;
  };

  const post = (interaction: SimInteraction, body: MessageBody, extraFlags = 0): SimMessage => {
    const channel = world.channel(interaction.channelId);
    const isEphemeral = (((body.flags ?? 0) | extraFlags) & FLAG.ephemeral) !== 0;
    return messages.create(channel, body, {
      authorId: world.botId,
      webhookId: world.applicationId,
      origin: interaction.origin,
      extraFlags,
      ...(isEphemeral ? { ephemeralFor: interaction.userId } : {}),
    });
  };

  /** The first answer. Throws 10062 after 3 s, 40060 the second time. */
  const callback = (id: string, token: string, body: CallbackBody): SimInteraction => {
    const interaction = byId.get(id);
    if (interaction === undefined || interaction.token !== token) throw apiError(10062);
    if (interaction.answeredWith !== null) throw apiError(40060);
    if (world.clock.now() - interaction.createdAt > FIRST_ANSWER_MS) throw apiError(10062);
    const { choices, custom_id: customId, title, ...data } = body.data ?? {};
    const isComponent = interaction.type === 3 || (interaction.type === 5 && interaction.message !== null);
    const allowed = interaction.type === 4 ? [8] : isComponent ? [4, 5, 6, 7, 9, 12] : [4, 5, 9, 12];
    if (!allowed.includes(body.type) || (interaction.type === 5 && body.type === 9)) {
      throw formError(['type'], 'BASE_TYPE_CHOICES', `Not an answer to an interaction of type ${interaction.type}.`);
    }
    if (body.type === 4) interaction.originalId = post(interaction, data).id;
    if (body.type === 5) {
      // Of a deferral's data only the ephemeral flag counts.
      const flags = (data.flags ?? 0) & FLAG.ephemeral;
      interaction.originalId = post(interaction, { flags }, FLAG.loading).id;
    }
    if (body.type === 6 || body.type === 7) interaction.originalId = interaction.message?.id ?? null;
    if (body.type === 7 && interaction.message !== null) {
      messages.edit(world.channel(interaction.channelId), interaction.message, data, null);
    }
    if (body.type === 8) interaction.choices = choices ?? [];
    if (body.type === 9) {
      if (customId === undefined || title === undefined || data.components == null) {
        throw formError(['data'], 'BASE_TYPE_REQUIRED', 'A modal needs custom_id, title and components.');
      }
      if (title.length > MAX_MODAL_TITLE || data.components.length > MAX_MODAL_ROWS)
        throw formError(['data'], 'BASE_TYPE_BAD_LENGTH', 'A modal has a title of 45 characters and five rows at most.');
      const inputs = textInputs(data.components);
      interaction.modal = {
        customId,
        title,
        inputs: inputs.map(({ custom_id: id }) => id),
        values: Object.fromEntries(inputs.map(({ custom_id: id, value }) => [id, value])),
      };
    }
    interaction.answeredWith = body.type;
    interaction.answeredAt = world.clock.now();
    return interaction;
  };

  /** The interaction behind a webhook token. Throws 10015 for an unknown one, 50027 once it expired. */
  const byWebhook = (applicationId: string, token: string): SimInteraction => {
    const interaction = byToken.get(token);
    if (applicationId !== world.applicationId || interaction === undefined) throw apiError(10015);
    if (world.clock.now() - interaction.createdAt > TOKEN_LIFE_MS) throw apiError(50027);
    return interaction;
  };

  const target = (interaction: SimInteraction, id: string): SimMessage => {
    if (interaction.answeredWith === null) throw apiError(10015);
    if (id === '@original') return original(interaction);
    const message = world
      .channel(interaction.channelId)
      .messages.find((each) => each.id === id && each.origin?.id === interaction.id);
    if (message === undefined) throw apiError(10008);
    return message;
  };

  return {
    start,
    callback,
    byWebhook,
    target,
    /** A follow-up; right after a deferral it fills the original instead. */
    followUp(interaction: SimInteraction, body: MessageBody): SimMessage {
      if (interaction.answeredWith === null) throw apiError(10015);
      const first =
        interaction.originalId === null
          ? undefined
          : world.channel(interaction.channelId).messages.find((each) => each.id === interaction.originalId);
      if (interaction.answeredWith === 5 && first !== undefined && isLoading(first)) {
        return messages.edit(world.channel(interaction.channelId), first, body, null);
      }
      return post(interaction, body);
    },
    edit(interaction: SimInteraction, id: string, body: MessageBody): SimMessage {
      return messages.edit(world.channel(interaction.channelId), target(interaction, id), body, null);
    },
    remove(interaction: SimInteraction, id: string): void {
      messages.remove(world.channel(interaction.channelId), target(interaction, id));
    },
    list: (): readonly SimInteraction[] => [...byId.values()],
    find: (id: string): SimInteraction | undefined => byId.get(id),
  };
};

export type Interactions = ReturnType<typeof createInteractions>;
