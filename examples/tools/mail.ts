import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Tool } from '../../agent/ports/tool.ts';

const parameters = z.object({
  to: z.email('expected a mail address, like ops@example.com'),
  subject: z.string().min(1).max(200),
  text: z.string().min(1).max(10_000),
});

/** Writes each mail as a JSON file into the folder, from where something else sends it. */
export const createMailTool = ({ outbox }: { readonly outbox: string }): Tool<z.infer<typeof parameters>> => ({
  name: 'send_mail',
  description: 'Sends one mail. Use it only when someone asks for a mail and names the address; send each mail once.',
  parameters,
  effect: 'write',
  timeoutMs: 5_000,
  run: async (mail) => {
    await mkdir(outbox, { recursive: true });
    await writeFile(join(outbox, `${randomUUID()}.json`), JSON.stringify(mail), { flag: 'wx' });
    return { sent: true, to: mail.to };
  },
});
