import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type Finding, fail, ok, type Probe, warn } from './doctor.ts';

const NODE_MAJOR = 24;
const NODE_MINOR = 12;
const LOW_DISK_BYTES = 500 * 1024 * 1024;

export const nodeProbe = (version: string): Probe => ({
  name: 'node',
  mend: 'start through ./threadwise, which brings its own',
  run: async () => {
    const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
    const isNew = major > NODE_MAJOR || (major === NODE_MAJOR && minor >= NODE_MINOR);
    if (isNew) return [ok('node', version)];
    return [fail('node', `${version}, and 24.12 or later is needed`, 'start through ./threadwise, which brings its own')];
  },
});

/** `folder` is made if it is missing, as a start would. */
export const dataFolderProbe = (
  folder: string,
  freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
): Probe => ({
  name: 'data folder',
  mend: `make ${folder} writable, or set THREADWISE_DATA_DIR to a folder that is`,
  run: async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    const free = await freeBytes();
    const megabytes = `${Math.floor(free / 1024 / 1024)} MB free`;
    if (free >= LOW_DISK_BYTES) return [ok('data folder', `${folder}, ${megabytes}`)];
    return [warn('data folder', `${folder}, ${megabytes}`, 'free some space: questions cannot be taken on a full disk')];
  },
});

const listen = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });

export const portProbe = (host: string, port: number): Probe => ({
  name: 'web port',
  mend: 'set THREADWISE_WEB_PORT to a free port, or THREADWISE_WEB_HOST to an address of this machine',
  run: async (): Promise<readonly Finding[]> => {
    try {
      await listen(host, port);
      return [ok('web port', `${host}:${port} is free`)];
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      const detail = `${host}:${port} is in use; fine if that is this assistant`;
      return [warn('web port', detail, 'set THREADWISE_WEB_PORT to a free port')];
    }
  },
});
