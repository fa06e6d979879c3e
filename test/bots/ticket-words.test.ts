/** Who wishes for a person is handed over and gets no answer: a question taken for a wish would get none either. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asksForPerson } from '../../bots/ticket-words.ts';

const linesOf = (text: string): readonly string[] => text.trim().split(/\s*\n\s*/u);

const WISHES = linesOf(`
  I want to talk to a human
  I'd like to talk to a real person please
  I would like to speak to a representative.
  i need to speak to customer service regarding my flight
  can I talk to a human?
  Can I please speak with someone about my invoice?
  Could I talk to someone from support?
  May I speak to a person instead?
  is there a person I can talk to about my invoice
  Is there anyone I can talk to?
  is there someone i can talk to since i am waiting for a parcel which never came
  get me a human
  Get me a real person, now!
  give me a person please
  I need a human.
  I want a real person, not a bot
  let me talk to an agent
  please connect me to an agent
  Connect me with support
  Can you connect me to the support team?
  Please transfer me to an operator
  pass me on, I want to speak to a member of your staff
  escalate this to a human please
  Hand this over to a person please
  Could you pass this on to a colleague?
  talk to a person please
  Ask a human
  ask a person about this
  human please
  Real person
  agent
  operator please
  This is useless. I want to talk to somebody.
  this bot is not helping me i want to speak to a human
  I don't want a bot, I want to talk to a human
  No, connect me to customer support please.
  Ich will einen Mitarbeiter sprechen
  Ich möchte mit einem Menschen sprechen.
  ich möchte bitte mit einem echten Menschen reden
  Kann ich mit jemandem vom Support sprechen?
  Könnte ich bitte mit einer Person über meine Rechnung sprechen?
  Bitte verbinden Sie mich mit dem Support
  Verbinde mich mit einem Mitarbeiter
  Können Sie mich mit einem Kollegen verbinden?
  Ich möchte mit einem Mitarbeiter verbunden werden
  Stellen Sie mich bitte zum Kundendienst durch
  Bitte leiten Sie das an einen Menschen weiter
  Gib mir einen Menschen
  Ich brauche einen Ansprechpartner!
  Einen Menschen bitte
  Mitarbeiter bitte
  Gibt es jemanden, mit dem ich sprechen kann?
  Ich will nicht mit einem Bot reden, ich will mit einem Menschen reden
  Lassen Sie mich mit jemandem sprechen
  我想和真人说话
  转人工
  请转人工客服
  帮我转接人工
  能不能转人工？
  可以转人工吗
  人工客服
  真人
  我要找客服
  我要人工
  请帮我联系客服
  我想跟客服沟通一下我的订单
  可以和真人聊聊吗？
  叫人工来
  我不想跟机器人聊，转真人
  有真人可以跟我说话吗
  請轉人工
`);

/** The first five of each language are near misses, the others what such a place is asked all day. */
const QUESTIONS = linesOf(`
  How do I get access to the agent dashboard?
  How can I connect the phone to the support system?
  Who do I write to about a support ticket?
  How do I get an invoice to a colleague?
  How do I talk to a human?
  Who can I talk to about my invoice?
  Where do I find the number of customer service?
  What are the opening hours of customer support?
  When can I talk to a person on the phone?
  Do I need to speak to a representative to change my pin?
  do i have to talk to someone to close an account or can i in the app
  If the app fails, may I talk to a person?
  Can I connect my account to the support portal?
  Can we connect the robot to a person detector?
  Can I talk to human resources about parental leave?
  Can I speak to an agent on Sundays?
  Can I write to a colleague from the app?
  I want to talk to Sarah
  can you talk to me in Italian
  i want you to speak to me faster
  Are you a human or a bot?
  am i talking to a real person
  Is this a person or a machine?
  write a text message to someone
  Send this to a colleague on Friday
  get the report to the support team by Monday
  I need an agent license
  I need a person ID for the form
  Give me the agent logs of yesterday
  Get me the support statistics
  I don't want to talk to a human
  You don't need to connect me to an agent
  A customer wrote "I want to talk to a human". What do I answer?
  The customer asked if she can speak to a person
  Explain how an agent connects to a support queue
  Our agent speaks to someone each week
  What happens when a customer is connected to an agent?
  How do I hand a case over to someone?
  How is a chat escalated to a human agent?
  Which plan includes live support?
  How many people work in support?
  Can a person have two accounts?
  Can I get a refund to a different card?
  How do I add a person to my team?
  Why does the agent not connect to the server?
  The agent does not talk to the database
  Who is my contact person at the bank?
  Can someone explain the travel policy?
  Does anyone know the wifi password?
  Could somebody tell me how long the warranty is?
  How do I write a letter to a customer?
  What is the human readable format of the log?
  Is there a person in charge of security?
  Is there an agent for Linux?
  Can I chat with the team in the mobile app?
  Please describe the agent architecture
  My agent is offline
  support for older phones
  support
  Wie kann ich mit einem Kollegen ein Dokument gemeinsam schreiben?
  Kann ich mit einem Kollegen ein Dokument gemeinsam schreiben?
  Wie verbinde ich das Telefon mit dem Supportsystem?
  Wer ist mein Ansprechpartner für Rechnungen?
  Wie erreiche ich den Kundendienst?
  Wann kann ich mit jemandem vom Support sprechen?
  Darf ich mit einem Mitarbeiter über sein Gehalt sprechen?
  Muss ich mit einem Menschen sprechen, um zu kündigen?
  Wem schreibe ich wegen eines Support-Tickets?
  Ich will nicht mit einem Menschen sprechen
  Wo finde ich die Nummer vom Kundenservice?
  Was kostet ein Mitarbeiter im Monat?
  Wie viele Mitarbeiter hat die Firma?
  Welche Mitarbeiter dürfen die Kasse öffnen?
  Wie lege ich eine neue Person an?
  Wie leite ich eine Mail an einen Kollegen weiter?
  Kann ich den Drucker mit dem Support-Netz verbinden?
  Ein Kunde schreibt: „Ich will mit einem Menschen sprechen“. Was antworte ich?
  Bist du ein Mensch?
  Spreche ich mit einem Menschen?
  Kann man mit dem Team-Chat Dateien senden?
  Wie spricht man Kunden in Mails an?
  Ich möchte mit der Kreditkarte bezahlen
  Ich will mit meinem Konto zwei Geräte verbinden
  Ich brauche eine neue Mitarbeiterkarte
  Ich brauche einen Mitarbeiterausweis
  Gibt es einen Support für alte Geräte?
  Gibt es Schulungen für Mitarbeiter?
  Wie lange dauert die Rückerstattung?
  Was tun bei einer Reklamation?
  Die Kasse verbindet sich nicht mit dem Server
  Wie rede ich mit einem wütenden Kunden?
  Welche Unterlagen braucht der Sachbearbeiter?
  怎么转人工？
  如何联系客服？
  客服电话是多少
  人工客服几点上班？
  什么时候可以和客服沟通？
  人工智能是什么
  找人工智能的资料
  我想换人工智能的模型
  接人工费用的账单在哪里看
  你是真人吗？
  我在和真人说话吗
  怎样把文件转给同事
  谁负责客服？
  联系客服的方式有哪些
  客服系统怎么登录
  如何把工单转给客服
  我不想转人工
  不用转人工，谢谢
  客户说“我要转人工”，该怎么回复？
  保修期是多久？
  可以和同事一起编辑文档吗
  我想和客户的采购部签合同
  可以换货吗
  我要退款
  工作人员的打卡规则
  人工成本怎么计算
  人工审核需要多久
  客服培训资料
  可以转账到国外吗
  我想找上个月的发票
  怎么接入客服机器人
  真人照片可以上传吗
  如果机器人答不了会转人工吗
  有没有客服的排班表
`);

describe('the wish for a person', () => {
  for (const text of WISHES) {
    it(`is heard in ${JSON.stringify(text)}`, () => assert.equal(asksForPerson(text), true));
  }
});

describe('a question', () => {
  for (const text of QUESTIONS) {
    it(`is answered: ${JSON.stringify(text)}`, () => assert.equal(asksForPerson(text), false));
  }

  it('that is long is about something', () => {
    assert.equal(asksForPerson(`I want to talk to a human. ${'The parcel was wet. '.repeat(10)}`), false);
  });

  it('of any shape is read in no time', () => {
    const started = performance.now();
    for (const piece of ['please ', 'i want to ', 'talk to a real ', 'mit einem ', '转', 'can i ', ', mit dem ', '"'])
      for (let length = 180; length <= 200; length += 1) asksForPerson(piece.repeat(100).slice(0, length));
    assert.ok(performance.now() - started < 1_000);
  });
});
