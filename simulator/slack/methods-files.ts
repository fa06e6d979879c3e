/** files.*: the three steps of an upload. https://docs.slack.dev/messaging/working-with-files */
import { isJsonObject } from './blocks.ts';
import { asText, type Method, SlackApiError } from './method.ts';
import type { Workspace } from './workspace.ts';

export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly altText: string;
  readonly length: number;
  bytes: Buffer | undefined;
  title: string;
  /** Shown in a place: an upload is completed once. */
  isShared: boolean;
}

export interface Files {
  readonly methods: Readonly<Record<string, Method>>;
  /** Every file that an address was asked for, oldest first. */
  readonly uploads: readonly UploadedFile[];
  /** What was posted to an upload's address; the HTTP status. */
  receive(id: string, bytes: Buffer): number;
  read(id: string): UploadedFile | undefined;
}

const MAX_ALT_CHARS = 1_000;

export const createFiles = ({ workspace, baseUrl }: { readonly workspace: Workspace; readonly baseUrl: () => string }): Files => {
  const uploads: UploadedFile[] = [];
  const read = (id: string): UploadedFile | undefined => uploads.find((upload) => upload.id === id);

  const threadOf = (channelId: string, threadTs: string): string | undefined => {
    if (threadTs === '') return undefined;
    const root = workspace.find(channelId, threadTs);
    if (root === undefined) throw new SlackApiError('thread_not_found');
    return root.threadTs ?? root.ts;
  };

  return {
    uploads,
    read,
    receive: (id, bytes) => {
      const upload = read(id);
      if (upload === undefined || upload.bytes !== undefined) return 404;
      if (bytes.length !== upload.length) return 400;
      upload.bytes = bytes;
      return 200;
    },
    methods: {
      'files.getUploadURLExternal': {
        scope: 'files:write',
        required: { filename: 'string', length: 'number' },
        optional: { alt_txt: 'string', snippet_type: 'string' },
        run: (args) => {
          const length = Number(args['length']);
          if (length < 1) throw new SlackApiError('invalid_arguments');
          const altText = asText(args['alt_txt']);
          if (altText.length > MAX_ALT_CHARS) throw new SlackApiError('alt_txt_too_large');
          const id = workspace.nextId('F');
          uploads.push({ id, name: asText(args['filename']), altText, length, bytes: undefined, title: '', isShared: false });
          return { upload_url: `${baseUrl()}/upload/${id}`, file_id: id };
        },
      },
      'files.completeUploadExternal': {
        scope: 'files:write',
        required: { files: 'json' },
        optional: { channel_id: 'string', thread_ts: 'string', initial_comment: 'string', blocks: 'json' },
        run: (args) => {
          const wanted = Array.isArray(args['files']) ? args['files'].filter(isJsonObject) : [];
          const files = wanted.map((file) => {
            const upload = read(asText(file['id']));
            if (upload?.bytes === undefined || upload.isShared) throw new SlackApiError('file_not_found');
            return { upload, title: asText(file['title']) || upload.name };
          });
          if (files.length === 0) throw new SlackApiError('invalid_arguments');
          const channelId = asText(args['channel_id']);
          const channel = workspace.channels.get(channelId);
          if (channel === undefined) throw new SlackApiError('channel_not_found');
          if (!channel.members.has(workspace.botUserId)) {
            throw new SlackApiError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
          }
          if (channel.isArchived) throw new SlackApiError('is_archived');
          const threadTs = threadOf(channelId, asText(args['thread_ts']));
          for (const { upload, title } of files) Object.assign(upload, { title, isShared: true });
          workspace.post({
            channelId,
            userId: workspace.botUserId,
            botId: workspace.botId,
            subtype: 'file_share',
            text: asText(args['initial_comment']),
            threadTs,
            files: files.map(({ upload }) => ({
              id: upload.id,
              name: upload.name,
              title: upload.title,
              alt_txt: upload.altText,
              size: upload.length,
              user: workspace.botUserId,
              url_private: `${baseUrl()}/file/${upload.id}`,
            })),
          });
          // Where the message stands is not told: Slack shows it a little later.
          return { files: files.map(({ upload }) => ({ id: upload.id, title: upload.title })) };
        },
      },
    },
  };
};
