/** Files of messages: a form with `payload_json` and `files[n]`, as reference#uploading-files has it. */
import { z } from 'zod';
import { ApiError, formError } from './api-error.ts';

export interface SimAttachment {
  readonly id: string;
  readonly filename: string;
  readonly description: string | null;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Of a server without boosts. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

const entry = z.strictObject({
  id: z.union([z.string(), z.number()]),
  filename: z.string().min(1).optional(),
  description: z.string().max(1024).nullish(),
});

/** The payload, each of whose attachments has its upload behind it, where no check of a form's fields sees it. */
export const readForm = async (contentType: string, raw: Buffer): Promise<unknown> => {
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData();
  const payload = form.get('payload_json');
  if (typeof payload !== 'string') throw formError(['payload_json'], 'BASE_TYPE_REQUIRED', 'This field is required');
  const body = JSON.parse(payload) as { attachments?: unknown[] };
  const attachments = await Promise.all(
    (body.attachments ?? []).map(async (value) => {
      const { id } = entry.parse(value);
      const upload = form.get(`files[${id}]`);
      if (!(upload instanceof File)) throw formError(['attachments'], 'ATTACHMENT_NOT_FOUND', 'Attachment ID invalid');
      if (upload.size > MAX_FILE_BYTES) throw new ApiError(413, { message: 'Request entity too large', code: 40005 });
      return Object.defineProperty({ ...(value as object) }, 'upload', {
        value: [Buffer.from(await upload.arrayBuffer()), upload],
      });
    }),
  );
  const files = [...form.keys()].filter((key) => key.startsWith('files['));
  if (files.length !== attachments.length) throw formError(['attachments'], 'ATTACHMENT_NOT_FOUND', 'A file has no entry');
  return { ...body, attachments };
};

export const attachmentsOf = (attachments: readonly unknown[] | null | undefined, nextId: () => string): SimAttachment[] =>
  (attachments ?? []).flatMap((value, index): SimAttachment[] => {
    const parsed = entry.safeParse(value);
    if (!parsed.success) throw formError(['attachments', index], 'BASE_TYPE_MAX_LENGTH', 'Invalid attachment');
    const upload = Reflect.get(value as object, 'upload') as readonly [Buffer, File] | undefined;
    if (upload === undefined) throw formError(['attachments', index], 'ATTACHMENT_NOT_FOUND', 'Attachment ID invalid');
    const [bytes, file] = upload;
    const { filename = file.name, description = null } = parsed.data;
    return [{ id: nextId(), filename, description, contentType: file.type, bytes }];
  });
