/** The files of an answer as messages of their own below its text. */
import { type Attachment, MAX_DESCRIPTION_CHARS } from '../agent/attachment.ts';
import type { ChannelName } from '../agent/conversation.ts';
import { type AppError, hasCode } from '../agent/errors.ts';
import type { OutboundPart } from '../agent/ports/channel.ts';
import { type Language, textsFor } from '../agent/texts.ts';
import { safeLine } from './egress.ts';
import { cutText } from './question.ts';

/** A description may hold what a document or a row says. */
export const fileParts = (files: readonly Attachment[], language: Language): readonly OutboundPart[] =>
  files.map(({ name, mediaType, description }, number) => {
    // Text that was made safe may be longer than what was let in.
    const text = cutText(safeLine(description), MAX_DESCRIPTION_CHARS) || name;
    return { text, withFeedback: false, file: { number, name, mediaType, description: text, language } };
  });

/** `rows.csv` of part 2 of the turn 1f3a… is `rows-1f3a…-2.csv`. */
export const keyedName = (name: string, key: string): string => {
  const dot = name.lastIndexOf('.');
  return `${name.slice(0, dot)}-${key.replace(':', '-')}${name.slice(dot)}`;
};

/** What stands in the place of a file that the platform refused. */
export const refusedFilePart = (
  { name, language }: NonNullable<OutboundPart['file']>,
  channel: ChannelName,
  error: AppError,
): OutboundPart => {
  const { notPosted, rights, seeLog } = textsFor(language).files;
  const remedy = hasCode(error, 'channel_no_files') ? rights[channel] : undefined;
  return { text: `${notPosted(name)} ${remedy ?? seeLog}`, withFeedback: false, isPlain: true };
};
