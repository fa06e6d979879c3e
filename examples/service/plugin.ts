/** The services of this example, on loopback for as long as the assistant runs. It registers no tool: these come from service.yaml. */
import { systemClock } from '../../ops/clock.ts';
import { createExampleServer } from '../tools/server.ts';

const PORT = 8970;

export const registerTools = async (): Promise<void> => {
  const services = await createExampleServer({ clock: systemClock, port: PORT });
  services.unref();
  process.stderr.write(`example services on ${services.url}\n`);
};
