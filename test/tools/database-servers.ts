/** Real servers for the tests: the one that the test command started, or one of our own where a file is run alone. */
import { mariadb, postgres } from '../../ops/service-databases.ts';
import { ensureService, type Service, systemInstaller } from '../../ops/services.ts';

export interface Server extends AsyncDisposable {
  /** As its superuser. */
  readonly url: string;
}

const open = async (service: Service, variable: string): Promise<Server> => {
  const given = process.env[variable];
  if (given !== undefined) return { url: given, [Symbol.asyncDispose]: async () => {} };
  const path = await ensureService(
    service,
    systemInstaller(process.env, process.cwd(), () => {}),
  );
  const started = await service.start?.(path, process.env);
  return { url: started?.env[variable] ?? '', [Symbol.asyncDispose]: async () => await started?.stop() };
};

export const openPostgres = (): Promise<Server> => open(postgres, 'TEST_POSTGRES_URL');
export const openMariadb = (): Promise<Server> => open(mariadb, 'TEST_MARIADB_URL');
