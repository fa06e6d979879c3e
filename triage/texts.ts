/** What the asker is told, in the ticket's language where there is one of ours. Everything for the team is in English. */
import { askerLanguageOf } from '../agent/asker-language.ts';
import type { Ticket } from '../agent/ticket.ts';

const en = {
  handedOff: (to: string) => `I have passed this on to ${to}. They have everything you wrote, and will answer here.`,
  noticed: (to: string) =>
    `I have told ${to} that something private waits for them. Where they read it is no private place, so what you wrote is shown only to who may see it.`,
  unseen: (id: string) =>
    `This is noted as ${id}, but there is no private place where somebody would see it. If it is urgent, please turn to them directly as well.`,
  aPerson: 'a person',
  quietHere: 'Until then I keep quiet here; mention me if you want to ask me something.',
  solved: 'This is marked as solved. If it is not, write here and it goes on.',
  followUp: 'Is this solved? Without an answer it is closed in a while; writing here opens it again.',
  reopened: 'This is open again.',
  unsolved: 'It is not solved.',
  incidentJoined: (status: string | null) =>
    `Others report this as well. We are working on it for all of you together, and will tell you here.${status === null ? '' : `\n\n${status}`}`,
  incidentTold: (status: string) => `About what you and others reported:\n\n${status}`,
  incidentOver: (resolution: string) =>
    `What you and others reported should be over now.${resolution === '' ? '' : `\n\n${resolution}`}\n\nIs it solved for you?`,
};

export type AskerTexts = typeof en;

const zh: AskerTexts = {
  handedOff: (to) => `我已把此事转交给${to}。对方能看到您写的全部内容，并会在这里回复。`,
  noticed: (to) => `我已告知${to}有一件私密的事待处理。他们的频道并非私密，因此您写的内容只会显示给有权查看的人。`,
  unseen: (id) => `此事已记录为 ${id}，但没有可以让同事看到它的私密频道。如果紧急，请同时直接联系他们。`,
  aPerson: '一位同事',
  quietHere: '在此期间我在这里不再作答；如需问我，请 @我。',
  solved: '此事已标记为解决。如果还没有解决，请在这里留言，我们会继续处理。',
  followUp: '问题解决了吗？如果没有回复，稍后会关闭；在这里留言即可重新打开。',
  reopened: '此事已重新打开。',
  unsolved: '还没有解决。',
  incidentJoined: (status) =>
    `其他人也报告了这个问题。我们正在统一处理，有进展会在这里告诉您。${status === null ? '' : `\n\n${status}`}`,
  incidentTold: (status) => `关于您和其他人报告的问题：\n\n${status}`,
  incidentOver: (resolution) =>
    `您和其他人报告的问题现在应该已经结束。${resolution === '' ? '' : `\n\n${resolution}`}\n\n您这边解决了吗？`,
};

const de: AskerTexts = {
  handedOff: (to) =>
    `Ich habe das an ${to} weitergegeben. Dort liegt alles vor, was Sie geschrieben haben; die Antwort kommt hier.`,
  noticed: (to) =>
    `Ich habe an ${to} gemeldet, dass etwas Vertrauliches wartet. Der Ort dort ist nicht vertraulich; was Sie geschrieben haben, sieht nur, wer es sehen darf.`,
  unseen: (id) =>
    `Das ist als ${id} vermerkt, aber es gibt keinen vertraulichen Ort, an dem es jemand sähe. Wenn es eilt, wenden Sie sich bitte auch direkt an jemanden.`,
  aPerson: 'einen Menschen',
  quietHere: 'Bis dahin schweige ich hier; erwähnen Sie mich, wenn Sie mich etwas fragen möchten.',
  solved: 'Das ist als gelöst vermerkt. Falls nicht, schreiben Sie hier, dann geht es weiter.',
  followUp: 'Ist das gelöst? Ohne Antwort wird es nach einer Weile geschlossen; schreiben Sie hier, wird es wieder geöffnet.',
  reopened: 'Das ist wieder offen.',
  unsolved: 'Es ist nicht gelöst.',
  incidentJoined: (status) =>
    `Das melden auch andere. Wir arbeiten für alle gemeinsam daran und geben hier Bescheid.${status === null ? '' : `\n\n${status}`}`,
  incidentTold: (status) => `Zu dem, was Sie und andere gemeldet haben:\n\n${status}`,
  incidentOver: (resolution) =>
    `Was Sie und andere gemeldet haben, sollte jetzt vorbei sein.${resolution === '' ? '' : `\n\n${resolution}`}\n\nIst es bei Ihnen gelöst?`,
};

const CATALOGUE: Readonly<Record<string, AskerTexts>> = { en, zh, de };

/** What is said before a ticket is read goes by its words. */
export const textsOf = ({ reading, text }: Ticket): AskerTexts =>
  CATALOGUE[reading?.language.value ?? askerLanguageOf(text)] ?? en;
