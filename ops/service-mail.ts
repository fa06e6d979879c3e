/** Dovecot for the tests: every name may log in, each with a maildir of its own. */
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type UserInfo, userInfo } from 'node:os';
import { join } from 'node:path';
import { accountOf, freePort, openFolder, PASSWORD, stopServer, untilAnswers } from './service-process.ts';
import { findProgram, type Service } from './services.ts';

type Owner = Pick<UserInfo<string>, 'username' | 'uid' | 'gid'>;

/** https://doc.dovecot.org/2.3/configuration_manual/quick_configuration/ */
const configOf = (folder: string, port: number, { username, uid, gid }: Owner): string => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
mail_fsync = never
mail_max_userip_connections = 100
${process.getuid?.() === 0 ? '' : `default_internal_user = ${username}\ndefault_login_user = ${username}`}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;

const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('data', () => end(true));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
  });

export const dovecot: Service = {
  name: 'Dovecot',
  packages: ['dovecot-imapd'],
  find: (env) => findProgram(['dovecot'], { PATH: `${env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` }),
  start: async (path) => {
    const account = accountOf('dovecot');
    const owner = { ...userInfo(), ...account };
    const folder = openFolder('dovecot', account);
    const mail = join(folder, 'mail');
    mkdirSync(mail);
    if (account.uid !== undefined && account.gid !== undefined) chownSync(mail, account.uid, account.gid);
    const port = await freePort();
    const config = join(folder, 'dovecot.conf');
    writeFileSync(config, configOf(folder, port, owner));
    // Its master begins as root and gives that up for each mailbox.
    const server = spawn(path, ['-F', '-c', config], { cwd: folder, stdio: 'ignore' });
    // It ends its own children when it is asked to end.
    const stop = () => stopServer(server, folder, 'SIGTERM');
    try {
      await untilAnswers(server, () => greets(port), 'Dovecot');
    } catch (error) {
      await stop();
      throw error;
    }
    return { env: { TEST_IMAP_URL: `imap://127.0.0.1:${port}`, TEST_IMAP_PASSWORD: PASSWORD }, stop };
  },
};
