/** Programs from outside that the tests need: whether one is there, and the Debian packages that bring it. */

import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AppError } from '../agent/errors.ts';
import { type ChildResult, runChild } from './child.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface Service {
  readonly name: string;
  readonly packages: readonly string[];
  /** Where it is, or undefined. */
  readonly find: (env: Env) => string | undefined;
  /** For one that must run while the tests do: variables for the tests, and its end. */
  readonly start?: (path: string, env: Env) => Promise<{ readonly env: Env; readonly stop: () => Promise<void> }>;
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

export const findProgram = (names: readonly string[], env: Env): string | undefined => {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
};

export const chromium: Service = {
  name: 'Chromium',
  packages: ['chromium'],
  find: (env) => findProgram(['chromium', 'chromium-browser', 'google-chrome'], env),
};

export interface Installer {
  readonly env: Env;
  readonly cwd: string;
  readonly isDebianRoot: boolean;
  /** One line for a person. */
  readonly say: (line: string) => void;
  readonly run: (command: string, args: readonly string[], env: Env) => Promise<Pick<ChildResult, 'code' | 'output'>>;
}

export const systemInstaller = (env: Env, cwd: string, say: (line: string) => void): Installer => ({
  env,
  cwd,
  isDebianRoot: process.getuid?.() === 0 && existsSync('/etc/debian_version'),
  say,
  run: (command, args, childEnv) => runChild(command, args, { cwd, env: childEnv }),
});

const aptGet = async (installer: Installer, packages: readonly string[]): Promise<boolean> => {
  const env = { ...installer.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['-qq', '-o', 'Acquire::http::Timeout=30', 'install', '-y', '--no-install-recommends', ...packages];
  if ((await installer.run('apt-get', install, env)).code === 0) return true;
  const update = await installer.run('apt-get', ['-qq', '-o', 'Acquire::http::Timeout=30', 'update'], env);
  return update.code === 0 && (await installer.run('apt-get', install, env)).code === 0;
};

/**
 * Where the service is; installs it first where that is possible. Throws `AppError('service_missing')` with the line that
 * installs it where it is not: a test that needs it is never left out.
 */
export const ensureService = async (service: Service, installer: Installer): Promise<string> => {
  const there = service.find(installer.env);
  if (there !== undefined) return there;
  const line = `apt-get install -y ${service.packages.join(' ')}`;
  if (!installer.isDebianRoot) {
    throw new AppError('service_missing', `the tests need ${service.name}, which is not installed; as root on Debian: ${line}`);
  }
  installer.say(`installing ${service.name} (${line}) ...`);
  const installed = await aptGet(installer, service.packages);
  const path = service.find(installer.env);
  if (installed && path !== undefined) return path;
  throw new AppError(
    'service_missing',
    `the tests need ${service.name}, and installing it failed; try: apt-get update && ${line}`,
  );
};
