/**
 * A file in a thread, in Slack's three calls: an address to upload to, the bytes, and the message that shows them. Only the last one
 * can be seen, so what comes before it may be done again; the file's name holds the key by which its message is known.
 * https://docs.slack.dev/messaging/working-with-files
 */
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { FileInfo, MessageRef } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { keyedName } from '../file-parts.ts';
import { escapeSlack } from '../markdown-slack.ts';
import type { SlackAddress } from './address.ts';
import { CALL_TIMEOUT_MS, callSlack, isRefusal } from './web-client.ts';

export interface SlackFile extends FileInfo {
  readonly bytes: Uint8Array;
}

export interface SlackFiles {
  /** Throws as `Channel.post` does. */
  post(address: SlackAddress, file: SlackFile, key: string): Promise<MessageRef>;
}

/** The message must be asked for so soon that it stands when somebody looks for it. An upload that took longer is used by the next try. */
const MAX_PREPARING_MS = 1_500;
const MAX_PREPARED = 100;
const RETRY_MS = 500;

const prepared = z.object({ upload_url: z.url({ protocol: /^https?$/ }), file_id: z.string().min(1) });

/** Whether a file of this name was posted under the key. */
export const isKeyed = (name: unknown, key: string): boolean =>
  typeof name === 'string' && name.slice(0, name.lastIndexOf('.')).endsWith(`-${key.replace(':', '-')}`);

const later = (what: string, cause?: unknown): AppError =>
  new AppError('channel_unavailable', what, { retryAfterMs: RETRY_MS, ...(cause === undefined ? {} : { cause }) });

const asNoFiles = (error: unknown): unknown =>
  isRefusal(error, 'missing_scope', 'not_allowed_token_type', 'file_uploads_disabled', 'file_upload_disabled')
    ? new AppError('channel_no_files', 'Slack takes no files from the app: add the scope files:write and install it again', {
        cause: error,
      })
    : error;

export const createSlackFiles = ({ client, clock }: { readonly client: WebClient; readonly clock: Clock }): SlackFiles => {
  const uploads = new Map<string, string>();

  const sendBytes = async (url: string, bytes: Uint8Array): Promise<void> => {
    const abort = new AbortController();
    const stop = clock.after(CALL_TIMEOUT_MS, () => abort.abort());
    try {
      const headers = { 'content-type': 'application/octet-stream' };
      const response = await fetch(url, {
        method: 'POST',
        body: Uint8Array.from(bytes),
        headers,
        signal: abort.signal,
        redirect: 'error',
      });
      await response.body?.cancel();
      if (!response.ok) throw later(`Slack did not take the bytes of a file: HTTP ${response.status}`);
    } catch (error) {
      throw error instanceof AppError ? error : later('Slack did not take the bytes of a file', error);
    } finally {
      stop();
    }
  };

  const prepare = async ({ name, description, bytes }: SlackFile, key: string): Promise<string> => {
    const known = uploads.get(key);
    if (known !== undefined) return known;
    // The library's types name the text for screen readers otherwise than the method does.
    const asked = { filename: keyedName(name, key), length: bytes.byteLength, alt_txt: description };
    const answer = await callSlack('files.getUploadURLExternal', () => client.apiCall('files.getUploadURLExternal', asked)).catch(
      // Nothing that can be seen was done, whatever became of it.
      (error: unknown) => {
        throw hasCode(error, 'channel_unavailable') && error.retryAfterMs === undefined ? later(error.message, error) : error;
      },
    );
    const { upload_url: url, file_id: id } = prepared.parse(answer);
    await sendBytes(url, bytes);
    uploads.set(key, id);
    const oldest = uploads.keys().next();
    if (uploads.size > MAX_PREPARED && oldest.done !== true) uploads.delete(oldest.value);
    return id;
  };

  const show = async ({ channel, thread }: SlackAddress, id: string, { name, description }: SlackFile): Promise<void> => {
    const files: [{ id: string; title: string }] = [{ id, title: name }];
    const shown = { files, initial_comment: escapeSlack(description) };
    await callSlack('files.completeUploadExternal', () =>
      client.files.completeUploadExternal(
        thread === '' ? { ...shown, channel_id: channel } : { ...shown, channel_id: channel, thread_ts: thread },
      ),
    );
  };

  return {
    post: async (address, file, key) => {
      const startedAt = clock.monotonic();
      try {
        const id = await prepare(file, key);
        if (clock.monotonic() - startedAt > MAX_PREPARING_MS) throw later('the upload of a file took long; it is shown next');
        await show(address, id, file);
        uploads.delete(key);
        return { channel: address.channel, file: id };
      } catch (error) {
        // An upload that Slack does not know any more is made anew.
        if (hasCode(error, 'channel_rejected')) uploads.delete(key);
        throw asNoFiles(error);
      }
    },
  };
};
