import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nonceOf, readAddress, readRef, splitKey, timeOf } from '../../bots/discord/address.ts';
import {
  commandDefinitions,
  inviteUrl,
  permissionBits,
  readApplicationId,
  registerCommands,
} from '../../bots/discord/register.ts';
import { hasMention, readText, threadName } from '../../bots/discord/text.ts';
import { openDiscord } from '../simulator/discord-kit.ts';

const read = (content: string): string =>
  readText({
    content,
    botId: '1',
    people: new Map([['2', 'Ben']]),
    channels: new Map([['3', 'help']]),
    roles: new Map([['4', 'staff']]),
  });

describe('what a person wrote', () => {
  it('has the own mention removed and everything else by name', () => {
    assert.equal(read('<@1> ask <@2>, <@!2>, <@&4> or <#3>'), 'ask @Ben, @Ben, @staff or #help');
    assert.equal(read('<@1>\n<@1> hello <@1>'), 'hello');
    assert.equal(read('<:lamp:9> and <a:glow:9>'), ':lamp: and :glow:');
    assert.equal(read('due <t:1767225600:R>'), 'due 2026-01-01T00:00:00.000Z');
    assert.equal(read('type </ask:77>'), 'type /ask');
    assert.equal(read('<@5> <t:99999999999999999>'), '@someone <t:99999999999999999>');
  });

  it('keeps code as it is', () => {
    assert.equal(read('see `<@2>` and ```\n<#3>  x\n```'), 'see `<@2>` and ```\n<#3>  x\n```');
  });

  it('names the bot only by its own mention outside code', () => {
    assert.equal(hasMention('<@1> hi', '1'), true);
    assert.equal(hasMention('<@!1> hi', '1'), true);
    for (const text of ['<@12> hi', '`<@1>`', '```\n<@1>\n```', '@1', 'a<1@1>', '']) assert.equal(hasMention(text, '1'), false);
  });

  it('names a thread within 100 characters, without cutting one in half', () => {
    assert.equal(threadName('  Why\n is it dark? ', 'x'), 'Why is it dark?');
    assert.equal(threadName(' ', 'A question'), 'A question');
    const name = threadName('😀'.repeat(80), 'x');
    assert.ok(name.length <= 100 && name.isWellFormed(), name);
  });
});

describe('addresses and keys', () => {
  it('read back what they were, and refuse what is not theirs', () => {
    const address = { kind: 'reply', channel: '1', message: '2' } as const;
    assert.deepEqual(readAddress(address), address);
    assert.throws(() => readAddress({ kind: 'reply', channel: 'C1', message: '2' }), { code: 'channel_rejected' });
    assert.throws(() => readRef({ ts: '1' }), { code: 'channel_rejected' });
    assert.deepEqual(splitKey('a:b:12'), { turnId: 'a:b', index: 12 });
    assert.throws(() => splitKey('none'), { code: 'internal' });
    assert.equal(timeOf('175928847299117063'), 1_462_015_105_796);
  });

  it('give a nonce of 25 characters that is the same for the same key', () => {
    assert.equal(nonceOf('t1:0').length, 25);
    assert.equal(nonceOf('t1:0'), nonceOf('t1:0'));
    assert.notEqual(nonceOf('t1:0'), nonceOf('t1:1'));
  });
});

describe('the invitation and the commands', () => {
  it('ask for the rights of the features and no more', () => {
    const url = new URL(inviteUrl('42'));
    assert.deepEqual(
      [url.origin + url.pathname, ...['client_id', 'permissions', 'scope'].map((key) => url.searchParams.get(key))],
      ['https://discord.com/oauth2/authorize', '42', '309237746688', 'bot applications.commands'],
    );
    assert.equal(permissionBits({ commands: true, mentions: false }), (1n << 10n) | (1n << 11n) | (1n << 15n) | (1n << 16n));
    assert.equal(new URL(inviteUrl('42', { commands: false, mentions: true })).searchParams.get('scope'), 'bot');
    assert.deepEqual(commandDefinitions({ commands: false, mentions: true }), []);
    const withTickets = { commands: true, mentions: true, tickets: true };
    assert.deepEqual(
      commandDefinitions(withTickets).map(({ name }) => name),
      ['ask', 'triage', 'Make a ticket'],
    );
    assert.equal(permissionBits(withTickets), permissionBits() | (1n << 14n), 'cards are embeds');
  });

  it('are registered for a server or everywhere; a wrong token says so', async () => {
    const sim = await openDiscord();
    const options = { token: sim.token, apiUrl: sim.apiUrl };
    assert.deepEqual(await registerCommands(options), ['ask']);
    assert.deepEqual(await registerCommands({ ...options, applicationId: sim.applicationId, guildId: sim.guildId }), ['ask']);
    const features = { commands: true, mentions: true, tickets: true };
    assert.deepEqual(await registerCommands({ ...options, features }), ['ask', 'triage', 'Make a ticket']);
    assert.equal(await readApplicationId(options), sim.applicationId);
    await assert.rejects(registerCommands({ ...options, token: 'wrong' }), { code: 'channel_auth', message: /DISCORD_TOKEN/ });
    await assert.rejects(registerCommands({ ...options, guildId: '1' }), { code: 'channel_rejected', message: /50001/ });
    assert.deepEqual(sim.violations, []);
    await sim.close();
  });
});
