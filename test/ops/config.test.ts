import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { type Config, type ConfigSource, loadConfig, secretsOf } from '../../ops/config.ts';
import { renderConfigReference } from '../../ops/config-reference.ts';
import { exampleOf, listSettings } from '../../ops/config-tree.ts';

const load = (env: ConfigSource['env'] = {}, files: Readonly<Record<string, string>> = {}): Config =>
  loadConfig({ env, readFile: (path) => files[path] });

const problemsOf = (env: ConfigSource['env'] = {}, files: Readonly<Record<string, string>> = {}): readonly string[] => {
  try {
    load(env, files);
  } catch (error) {
    assert.ok(hasCode(error, 'config_invalid'), inspect(error));
    assert.equal(error.exitCode, 78);
    return error.message.split('\n');
  }
  assert.fail('the configuration was accepted');
};

const yaml = (text: string): Readonly<Record<string, string>> => ({ 'threadwise.yaml': text });

const PROJECT = join(import.meta.dirname, '../..');
const BOT = 'xoxb-0000-made-up';
const APP = 'xapp-0000-made-up';

test('with nothing configured the web page and the sample knowledge base are on and the platforms off', () => {
  const config = load();
  assert.equal(config.dataDir, join(PROJECT, 'data'), 'not a folder under wherever it is called from');
  assert.equal(config.knowledge.watch, true);
  assert.deepEqual(config.web, { enabled: true, host: '127.0.0.1', port: 3000, labels: ['everyone'] });
  assert.equal(config.model.provider, 'extractive');
  assert.equal(config.knowledge.embedder, 'local');
  assert.match(config.knowledge.folders.join(), /examples\/knowledge$/);
  assert.equal(config.slack, undefined);
  assert.equal(config.discord, undefined);
  assert.equal(config.embeddings, undefined);
  assert.deepEqual(config.limits, {
    steps: 8,
    windowTokens: 12_000,
    windowTurns: 50,
    runTimeoutMs: 120_000,
    workers: 16,
    leaseMs: 30_000,
  });
});

test('a variable wins over the file, an empty one counts as not set, the first of two names wins', () => {
  const files = yaml('web: { port: 4000, enabled: false }\nlog:\n');
  assert.equal(load({ THREADWISE_WEB_PORT: '' }, files).web.port, 4000);
  assert.equal(load({ PORT: '5000' }, files).web.port, 5000);
  assert.equal(load({ PORT: '5000', THREADWISE_WEB_PORT: '6000' }, files).web.port, 6000);
  assert.equal(load({ THREADWISE_WEB: 'yes' }, files).web.enabled, true);
  assert.deepEqual(load({ THREADWISE_KNOWLEDGE: 'a, b/c ,' }).knowledge.folders, ['a', 'b/c']);
});

test('a key or an endpoint switches the written answers on', () => {
  assert.deepEqual(
    [load({ OPENAI_API_KEY: 'sk-made-up-key' }).model.provider, load({ OPENAI_API_KEY: 'sk-made-up-key' }).model.name],
    ['openai', 'gpt-4.1-mini'],
  );
  const own = load({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1/', THREADWISE_MODEL: 'llama3.1' }).model;
  assert.deepEqual([own.provider, own.baseUrl, own.apiKey], ['openai', 'http://127.0.0.1:11434/v1', undefined]);
  assert.equal(load({ OPENAI_API_KEY: 'sk-made-up-key', THREADWISE_PROVIDER: 'extractive' }).model.provider, 'extractive');
});

test('Slack takes Socket Mode with an app token and HTTP with a signing secret', () => {
  assert.equal(load({ SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP }).slack?.mode, 'socket');
  assert.equal(load({ SLACK_BOT_TOKEN: BOT, SLACK_SIGNING_SECRET: '0123456789abcdef' }).slack?.mode, 'http');
});

test('half-configured channels are refused with the key that is missing', () => {
  assert.deepEqual(problemsOf({ SLACK_BOT_TOKEN: BOT }), [
    'slack.appToken (SLACK_APP_TOKEN): expected an app-level token (or slack.signingSecret for events over HTTP), got none; for example SLACK_APP_TOKEN=xapp-your-token',
  ]);
  assert.match(problemsOf({ SLACK_APP_TOKEN: APP })[0] ?? '', /^slack\.botToken \(SLACK_BOT_TOKEN\): expected a bot token/);
  assert.match(
    problemsOf({ SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP, THREADWISE_SLACK_MODE: 'http' })[0] ?? '',
    /^slack\.signingSecret/,
  );
  const withoutWeb = { SLACK_BOT_TOKEN: BOT, SLACK_SIGNING_SECRET: '0123456789abcdef', THREADWISE_WEB: 'off' };
  assert.match(problemsOf(withoutWeb)[0] ?? '', /^web\.enabled/);
  assert.match(problemsOf({ DISCORD_APPLICATION_ID: '123' })[0] ?? '', /^discord\.token \(DISCORD_TOKEN\)/);
});

test('an endpoint without a model, OpenAI without a key and embeddings without a size are refused', () => {
  assert.match(problemsOf({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })[0] ?? '', /^model\.name \(THREADWISE_MODEL\)/);
  assert.match(problemsOf({ THREADWISE_PROVIDER: 'openai' })[0] ?? '', /^model\.apiKey \(OPENAI_API_KEY\)/);
  assert.deepEqual(
    problemsOf({ THREADWISE_EMBEDDER: 'openai', OPENAI_API_KEY: 'sk-made-up-key' }).map((line) => line.split(' ')[0]),
    ['embeddings.name', 'embeddings.dimensions'],
  );
});

test('the key of the model goes to the embeddings of the same endpoint and of no other', () => {
  const env = {
    THREADWISE_EMBEDDER: 'openai',
    OPENAI_API_KEY: 'sk-made-up-key',
    THREADWISE_EMBEDDINGS_MODEL: 'text-embedding-3-small',
    THREADWISE_EMBEDDINGS_DIMENSIONS: '1536',
  };
  assert.equal(load(env).embeddings?.apiKey?.reveal(), 'sk-made-up-key');
  assert.equal(load({ ...env, THREADWISE_EMBEDDINGS_BASE_URL: 'http://127.0.0.1:1/v1' }).embeddings?.apiKey, undefined);
});

test('every problem gets one line with its key, what was expected and an example', () => {
  const lines = problemsOf(
    { THREADWISE_STEPS: 'many', THREADWISE_WEBPORT: '1' },
    yaml('wbe: {}\nlimits: { worker: 2 }\nlog: { level: loud }\n'),
  );
  assert.deepEqual(lines, [
    'THREADWISE_WEBPORT: expected a known variable, got one that sets nothing; did you mean THREADWISE_WEB_PORT?',
    'limits.steps (THREADWISE_STEPS): expected a whole number from 1 to 32, got "many"; for example limits: { steps: 8 }',
    'limits.worker: expected a known key, got one that sets nothing; did you mean limits.workers?',
    'log.level (THREADWISE_LOG_LEVEL): expected one of debug, info, warn, error, silent, got "loud"; for example log: { level: info }',
    'wbe: expected a known key, got one that sets nothing; did you mean web?',
  ]);
});

test('names in the place of ids are refused, with where an id is found', () => {
  const [line = ''] = problemsOf({}, yaml('people: { owners: [alice] }'));
  assert.match(
    line,
    /^people\.owners \(THREADWISE_OWNERS\): expected a list of ids such as slack:U0123ABCD .*Copy member ID.*got "alice" at people\.owners\.0/,
  );
  assert.match(problemsOf({ THREADWISE_ALLOW_CHANNELS: '#general' })[0] ?? '', /^people\.allowChannels .*got "#general"/);
});

test('audience labels are defined before they are used', () => {
  assert.match(problemsOf({ THREADWISE_WEB_LABELS: 'staff' })[0] ?? '', /^web\.labels: expected one of everyone, got "staff"/);
  const config = load({ THREADWISE_WEB_LABELS: 'staff' }, yaml('audiences: { staff: { places: [slack:C0123ABCD] } }'));
  assert.deepEqual(config.audiences, { staff: { people: [], places: ['slack:C0123ABCD'] } });
  assert.match(problemsOf({}, yaml('audiences: { everyone: {} }'))[0] ?? '', /^audiences\.everyone: expected another label/);
});

test('a file that is no YAML, no map or not there is refused by name', () => {
  assert.match(problemsOf({}, yaml('a: [\nb: 1'))[0] ?? '', /^threadwise\.yaml: expected YAML/);
  assert.match(problemsOf({}, yaml('- a'))[0] ?? '', /^threadwise\.yaml: expected settings with their names/);
  assert.match(problemsOf({}, yaml('web: 3'))[0] ?? '', /^web: expected a section with settings, got 3/);
  assert.deepEqual(problemsOf({ THREADWISE_CONFIG: 'other.yaml' }), [
    'THREADWISE_CONFIG: expected a file that exists, got "other.yaml"; for example ./threadwise.yaml',
  ]);
});

test('a secret is read from the file that its _FILE variable names', () => {
  const files = { '/run/secrets/bot': `${BOT}\n`, '/run/secrets/app': `${APP}\n` };
  const config = load({ SLACK_BOT_TOKEN_FILE: '/run/secrets/bot', SLACK_APP_TOKEN_FILE: '/run/secrets/app' }, files);
  assert.equal(config.slack?.botToken.reveal(), BOT);
  assert.match(problemsOf({ DISCORD_TOKEN_FILE: '/none' })[0] ?? '', /^DISCORD_TOKEN_FILE: expected a file that exists/);
});

test('secrets are printed neither by the configuration nor by its problems', () => {
  const config = load({
    SLACK_BOT_TOKEN: BOT,
    SLACK_APP_TOKEN: APP,
    DISCORD_TOKEN: 'made.up.token',
    OPENAI_API_KEY: 'sk-made-up-key',
  });
  const shown = inspect(config, { depth: 9 }) + JSON.stringify(config);
  for (const secret of secretsOf(config)) assert.ok(!shown.includes(secret.reveal()));
  assert.equal(secretsOf(config).length, 4);

  const wrong = problemsOf({ SLACK_APP_TOKEN: `${BOT}-wrong`, THREADWISE_SLACK_MODE: `${BOT}-moved`, SLACK_BOT_TOKEN: BOT }).join(
    '\n',
  );
  assert.ok(!wrong.includes('made-up'), wrong);
  assert.match(wrong, /got 23 characters of another form/);
});

test('the example of every setting is a value that the schema accepts', () => {
  const files = {
    './databases/shop.yaml': 'name: shop\nengine: sqlite\npath: shop.sqlite',
    './services/orders.yaml': 'name: orders\nbaseUrl: https://a.example\ntools: { ask: { description: Asks., path: /ask } }',
  };
  for (const setting of listSettings()) {
    const { key } = setting;
    try {
      load(
        { ZENDESK_WEBHOOK_SECRET: 'a secret of sixteen', ZENDESK_TOKEN: 'a long token' },
        { ...files, ...yaml(exampleOf(setting)) },
      );
    } catch (error) {
      assert.ok(hasCode(error, 'config_invalid'));
      // Alone it may leave a channel half configured; its own value must be fine.
      const own = error.message.split('\n').filter((line) => [key, 'threadwise.yaml'].some((name) => line.startsWith(name)));
      assert.deepEqual(own, []);
    }
  }
});

test('docs/configuration.md is what the schema says', () => {
  const file = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  assert.equal(file, renderConfigReference(), 'run ./threadwise check --fix');
});
