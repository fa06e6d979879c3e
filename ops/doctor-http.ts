import { hasCode } from '../agent/errors.ts';
import { fail, ok, type Probe } from './doctor.ts';

/** Of a service whose operations are tools. Any answer at all shows that it is there; what it lets the assistant do is not tried. */
export const serviceProbe = (
  { name, tools, reach }: { readonly name: string; readonly tools: number; reach(signal: AbortSignal): Promise<number> },
  signal: AbortSignal,
): Probe => {
  const title = `service ${name}`;
  const mend = 'check baseUrl in the file of the service, its name in DNS, and that it runs';
  return {
    name: title,
    mend,
    run: async () => {
      try {
        return [ok(title, `answers (HTTP ${await reach(signal)}); ${tools} tools`)];
      } catch (error) {
        if (hasCode(error, 'tool_refused')) return [fail(title, error.message, 'set addresses in the file of the service')];
        const { code } = error as { readonly code?: unknown };
        return [fail(title, `could not be reached${typeof code === 'string' ? ` (${code})` : ''}`, mend)];
      }
    },
  };
};
