/**
 * All example tools as one plug-in: `THREADWISE_TOOL_PLUGINS=examples/tools/plugin.ts npm start`. The services behind them are made
 * up and run on loopback; mails are written as files beside the sample database, in a folder that is named once.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolRegistry } from '../../agent/registry.ts';
import { systemClock } from '../../ops/clock.ts';
import { createDatabaseTool, createSampleDatabase } from './database.ts';
import { createFolderTransport, createMailTool } from './mail.ts';
import { createLogsTool, createMetricsTool, createRestartTool } from './operations.ts';
import { createOrderTool } from './order.ts';
import { createExampleServer } from './server.ts';
import { createWeatherTool } from './weather.ts';

export const registerTools = async ({ registerTool }: Pick<ToolRegistry, 'registerTool'>): Promise<void> => {
  const services = await createExampleServer({ clock: systemClock });
  // They end with the assistant.
  services.unref();
  const baseUrl = services.url;
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-examples-'));
  const file = join(folder, 'sales.db');
  createSampleDatabase(file);
  process.stderr.write(`example tools: services on ${baseUrl}, mails and sales.db in ${folder}\n`);

  registerTool(createWeatherTool({ baseUrl }));
  registerTool(createOrderTool({ baseUrl }));
  registerTool(createMetricsTool({ baseUrl }));
  registerTool(createLogsTool({ baseUrl }));
  registerTool(createRestartTool({ baseUrl }));
  registerTool(createDatabaseTool({ file }));
  registerTool(createMailTool({ transport: createFolderTransport({ folder: join(folder, 'outbox') }) }));
};
