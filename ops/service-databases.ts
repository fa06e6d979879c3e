/** The database servers that the tests need: each started on loopback with a folder of its own, ended and removed after them. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChild } from './child.ts';
import { accountOf, freePort, openFolder, PASSWORD, runAs, stopServer, untilAnswers } from './service-process.ts';
import { findProgram, type Service } from './services.ts';

type Env = Readonly<Record<string, string | undefined>>;

const postgresFolders = (): readonly string[] => [...globSync('/usr/lib/postgresql/*/bin/postgres')].sort().reverse();

/** As its superuser `postgres`. */
export const postgres: Service = {
  name: 'PostgreSQL',
  packages: ['postgresql'],
  // The wrapper in the PATH may be a link; `initdb` stands beside the program itself.
  find: (env) => postgresFolders()[0] ?? findProgram(['postgres'], env),
  start: async (path) => {
    const bin = dirname(path);
    const account = accountOf('postgres');
    const folder = openFolder('postgres', account);
    const data = join(folder, 'data');
    await runAs(
      account,
      join(bin, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
      folder,
    );
    const port = await freePort();
    const options = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: 60 };
    const args = ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const server = spawn(path, args, { ...account, cwd: folder, stdio: 'ignore' });
    const isReady = async (): Promise<boolean> => {
      const { code } = await runChild(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { cwd: folder, env: {} });
      return code === 0;
    };
    try {
      await untilAnswers(server, isReady, 'PostgreSQL');
    } catch (error) {
      await stopServer(server, folder);
      throw error;
    }
    return {
      env: { TEST_POSTGRES_URL: `postgres://postgres@127.0.0.1:${port}/postgres`, TEST_POSTGRES_BIN: bin },
      stop: () => stopServer(server, folder),
    };
  },
};

const MARIADB_PLACES = ['/usr/sbin', '/usr/local/sbin'];

/** As an account `admin` with every right, FILE among them. */
export const mariadb: Service = {
  name: 'MariaDB',
  packages: ['mariadb-server'],
  find: (env: Env) =>
    findProgram(['mariadbd'], env) ?? MARIADB_PLACES.map((place) => join(place, 'mariadbd')).find((path) => existsSync(path)),
  start: async (path, env) => {
    const account = accountOf('mysql');
    const folder = openFolder('mariadb', account);
    const data = join(folder, 'data');
    const install = findProgram(['mariadb-install-db'], env) ?? '/usr/bin/mariadb-install-db';
    await runAs(
      account,
      install,
      ['--no-defaults', `--datadir=${data}`, '--skip-test-db', '--auth-root-authentication-method=normal'],
      folder,
    );
    const port = await freePort();
    const socket = join(folder, 'socket');
    const init = join(folder, 'init.sql');
    // One statement a line.
    writeFileSync(
      init,
      `CREATE USER admin@'127.0.0.1' IDENTIFIED BY '${PASSWORD}';\nGRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;\n`,
      {
        mode: 0o644,
      },
    );
    const args = [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=32M',
      '--secure-file-priv=',
      `--init-file=${init}`,
    ];
    const server = spawn(path, args, { ...account, cwd: folder, stdio: 'ignore' });
    const admin = findProgram(['mariadb-admin'], env) ?? '/usr/bin/mariadb-admin';
    const isReady = async (): Promise<boolean> => {
      // `ping` is content with a refused password.
      const status = ['--no-defaults', '-h', '127.0.0.1', '-P', String(port), '-u', 'admin', `-p${PASSWORD}`, 'status'];
      return (await runChild(admin, status, { cwd: folder, env: {} })).code === 0;
    };
    try {
      await untilAnswers(server, isReady, 'MariaDB');
    } catch (error) {
      await stopServer(server, folder);
      throw error;
    }
    return {
      env: { TEST_MARIADB_URL: `mysql://admin:${PASSWORD}@127.0.0.1:${port}/mysql` },
      stop: () => stopServer(server, folder),
    };
  },
};
