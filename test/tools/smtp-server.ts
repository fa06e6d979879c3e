/** A small SMTP server on loopback (RFC 5321), and what may go wrong with one. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface SmtpFaults {
  /** Answers in place of the usual ones, by the beginning of the command; `.` is the end of the mail. `close`, `silent`: none. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly login?: { readonly user: string; readonly password: string };
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
}

export const startSmtp = async (t: TestContext, { answers = {}, login }: SmtpFaults = {}) => {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let rest = '';
    let content: string[] | undefined;
    let mail = { from: '', to: [] as string[] };
    const say = (command: string, usual: string): void => {
      const [key] = Object.keys(answers).filter((start) => command.toUpperCase().startsWith(start.toUpperCase()));
      const answer = key === undefined ? usual : (answers[key] ?? usual);
      if (answer === 'close') socket.destroy();
      else if (answer !== 'silent') socket.write(`${answer}\r\n`);
      if (command === 'DATA' && answer.startsWith('354')) content = [];
      if (command.startsWith('RCPT') && answer.startsWith('250')) mail.to.push(command.slice('RCPT TO:<'.length, -1));
    };
    const onLine = (line: string): void => {
      if (content !== undefined) {
        if (line !== '.') return void content.push(line.startsWith('..') ? line.slice(1) : line);
        mails.push({ ...mail, content: content.join('\n') });
        content = undefined;
        return say('.', '250 2.0.0 queued');
      }
      commands.push(line);
      const [verb = ''] = line.toUpperCase().split(' ');
      if (verb === 'EHLO') return say(line, login === undefined ? '250 test' : '250-test\r\n250 AUTH PLAIN');
      if (verb === 'AUTH') {
        const [, user, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0');
        const isRight = user === login?.user && password === login?.password;
        return say(line, isRight ? '235 2.7.0 welcome' : '535 5.7.8 wrong name or password');
      }
      if (verb === 'MAIL') mail = { from: line.replace(/^.*<(.*)>.*$/u, '$1'), to: [] };
      if (verb === 'DATA') return say('DATA', '354 go on');
      if (verb === 'QUIT') {
        say(line, '221 bye');
        return void socket.end();
      }
      say(line, '250 2.0.0 ok');
    };
    say('greeting', '220 test ESMTP');
    socket.setEncoding('utf8').on('data', (piece: unknown) => {
      rest += String(piece);
      const lines = rest.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
  };
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, mails, commands };
};
