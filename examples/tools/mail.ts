/** One mail, handed to a transport: a folder here, a mail server where you have one. */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Tool } from '../../agent/ports/tool.ts';

const mail = z.object({
  to: z.email('expected a mail address, like ops@example.com'),
  subject: z.string().min(1).max(200),
  text: z.string().min(1).max(10_000),
});
export type Mail = z.infer<typeof mail>;

export interface MailTransport {
  /** Resolves when the mail was taken. Throws `AppError('tool_refused')` when it was not; after any other failure nobody knows. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
}

/** Writes each mail as a JSON file, from where something else sends it. */
export const createFolderTransport = ({ folder }: { readonly folder: string }): MailTransport => ({
  send: async (message) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify(message), { flag: 'wx' });
  },
});

export const createMailTool = ({ transport }: { readonly transport: MailTransport }): Tool<Mail> => ({
  name: 'send_email',
  description: 'Sends one mail. Use it only when someone asks for a mail and names the address; send each mail once.',
  parameters: mail,
  effect: 'write',
  readsUntrusted: false,
  timeoutMs: 5_000,
  describeCall: ({ to, subject }) => `Sends a mail to ${to}: ${subject}`,
  run: async (message, { signal }) => {
    await transport.send(message, signal);
    return { sent: true, to: message.to };
  },
});
