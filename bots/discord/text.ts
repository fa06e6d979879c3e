/** What a person wrote, as plain text, and whether the bot was meant. */

/** The parts of a message that its text is made of. */
export interface WrittenText {
  readonly content: string;
  readonly botId: string;
  /** Display names of the mentioned people, by id. */
  readonly people: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
}

const CODE_SPAN = /(```[\s\S]*?```|``[^\n]*?``|`[^`\n]*`)/g;
const TOKEN = /<(?:@(!?)(\d+)|@&(\d+)|#(\d+)|a?:(\w+):\d+|t:(-?\d+)(?::[a-zA-Z])?|\/([^:<>\n]+):\d+)>/g;

/** True when the text has the bot's own mention outside code. An address or a name that looks alike is none. */
export const hasMention = (content: string, botId: string): boolean =>
  content
    .split(CODE_SPAN)
    .some((piece, index) => index % 2 === 0 && (piece.includes(`<@${botId}>`) || piece.includes(`<@!${botId}>`)));

/** Own mentions removed; people, channels and roles by name; times as ISO dates. Code stays as it is. */
export const readText = ({ content, botId, people, channels, roles }: WrittenText): string =>
  content
    .split(CODE_SPAN)
    .map((piece, index) =>
      index % 2 === 1
        ? piece
        : piece
            .replaceAll(TOKEN, (whole, _bang, user, role, channel, emoji, time, command) => {
              if (user === botId) return ' ';
              if (user !== undefined) return `@${people.get(user) ?? 'someone'}`;
              if (role !== undefined) return `@${roles.get(role) ?? 'role'}`;
              if (channel !== undefined) return `#${channels.get(channel) ?? 'channel'}`;
              if (emoji !== undefined) return `:${emoji}:`;
              if (command !== undefined) return `/${command}`;
              const seconds = Number(time);
              return Math.abs(seconds) < 8.64e12 ? new Date(seconds * 1000).toISOString() : whole;
            })
            .replaceAll(/[^\S\n]{2,}/g, ' '),
    )
    .join('')
    .trim();

const MAX_THREAD_NAME = 100;

/** A thread's name: the question's first line, cut to what Discord takes. */
export const threadName = (question: string, otherwise: string): string => {
  const line = question.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  const points = [...(line === '' ? otherwise : line)];
  // Discord counts; a code point outside the basic plane may count twice, so the cut is by UTF-16 units.
  let name = '';
  for (const point of points) {
    if (name.length + point.length > MAX_THREAD_NAME - 1) return `${name.trimEnd()}…`;
    name += point;
  }
  return name;
};
