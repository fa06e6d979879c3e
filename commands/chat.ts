import { AppError } from '../agent/errors.ts';
import { openDataFolder, readConfig } from '../main.ts';
import type { CommandIo } from './command.ts';
import { serve } from './start.ts';

export const summary = 'chat in this terminal, and nothing else';

export const usage = `Usage: threadwise chat [--data DIR]

Chats in the terminal over the documents of the configuration. Piped input is answered line by line.

  --data DIR  the data folder; another process may not serve it at the same time

/help inside the chat tells the rest.
`;

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const [option, folder, ...more] = args;
  if (option !== undefined && (option !== '--data' || folder === undefined || more.length > 0)) {
    throw new AppError('usage', `chat: expected nothing or --data DIR, got ${JSON.stringify(args.join(' '))}`);
  }
  const config = await readConfig(io);
  return serve(io, config, openDataFolder(folder ?? config.dataDir, io.cwd), ['terminal']);
};
