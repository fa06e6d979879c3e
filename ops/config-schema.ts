/**
 * Every setting of the product, once: its type, its default, the variable that sets it, what it means and an example. The
 * loader, the error lines and docs/configuration.md are read from here.
 */

import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { mailSettings } from './config-mail.ts';
import { mcpServers } from './config-mcp.ts';
import { address, budget, choice, dayBudget, flag, ids, number, price, secret, settingMeta } from './config-setting.ts';
import { triageSettings } from './config-triage.ts';

const PERSON = /^(?:slack:[UW][A-Z0-9]+|discord:\d+|web:[\w-]+|terminal:local)$/;
const PLACE = /^(?:slack:[CDG][A-Z0-9]+|discord:\d+|web|terminal)$/;
const APPROVER = /^(?:asker|admins|slack:[UW][A-Z0-9]+|discord:\d+|web:[\w-]+|terminal:local)$/;
const LABEL = /^[a-z][a-z0-9_-]{0,39}$/;

const EXPECTED_PEOPLE =
  'ids such as slack:U0123ABCD or discord:123456789012345678, not names (Slack: profile, "Copy member ID"; Discord: developer mode, "Copy User ID")';
const EXPECTED_PLACES =
  'channel ids such as slack:C0123ABCD or discord:123456789012345678, not names (Slack: channel details, at the bottom; Discord: developer mode, "Copy Channel ID")';
const EXPECTED_LABELS = 'labels in lower-case letters, digits, - and _';

const path = z.string().min(1);

const approvers = (standard: 'asker' | 'admins', env: string, does: string) =>
  ids(APPROVER, `asker, admins and ${EXPECTED_PEOPLE}`, `[${standard}]`, [env], does, [standard]);

const days = (kind: string, what: string) =>
  number(0, 36_500, 0, `THREADWISE_MEMORY_${kind}_DAYS`, `Days that ${what} are remembered; 0 is for ever.`);

/** A label that everyone holds, without being listed. */
export const EVERYONE = 'everyone';

export const SAMPLE_KNOWLEDGE = fileURLToPath(new URL('../examples/knowledge', import.meta.url));

export const SAMPLE_DATABASE = fileURLToPath(new URL('../examples/database/shop.yaml', import.meta.url));

/** The same one wherever the assistant is called from: a second call elsewhere would otherwise start with an empty store. */
const PROJECT_DATA = fileURLToPath(new URL('../data', import.meta.url));

const TOKEN = /^\S{8,}$/;

export const configSchema = z.strictObject({
  dataDir: path.default(PROJECT_DATA).register(settingMeta, {
    does: 'The one folder that the assistant writes to. A relative one is looked for where the assistant is called.',
    expected: 'a folder',
    example: './data',
    env: ['THREADWISE_DATA_DIR'],
    defaultText: "data, in the project's folder",
  }),

  web: z
    .strictObject({
      enabled: flag(true, 'THREADWISE_WEB', 'Serve the web page, the health addresses and the receiver of Slack over HTTP.'),
      host: z
        .string()
        .regex(/^[\w.:-]+$/)
        .default('127.0.0.1')
        .register(settingMeta, {
          does: 'The address to listen on. Anything but loopback asks visitors for a token.',
          expected: 'a host name or an IP address',
          example: '127.0.0.1',
          env: ['THREADWISE_WEB_HOST'],
        }),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(3000)
        .register(settingMeta, {
          does: 'The port to listen on; 0 takes a free one.',
          expected: 'a port from 0 to 65535',
          example: '3000',
          env: ['THREADWISE_WEB_PORT', 'PORT'],
        }),
      token: secret(
        /^\S{16,}$/,
        'at least 16 characters without spaces',
        'at-least-16-random-characters',
        'THREADWISE_WEB_TOKEN',
        'What a visitor must present when the page is not on loopback. Without it, each start makes one and prints it.',
      ),
      publicUrl: address(
        'THREADWISE_WEB_PUBLIC_URL',
        'https://ask.example.com',
        'How visitors reach the page when a proxy stands before it.',
      ),
      labels: ids(
        LABEL,
        EXPECTED_LABELS,
        '[everyone]',
        ['THREADWISE_WEB_LABELS'],
        'The audience labels that a reader of the page holds.',
        [EVERYONE],
      ),
    })
    .prefault({}),

  knowledge: z
    .strictObject({
      folders: z
        .array(path)
        .default([SAMPLE_KNOWLEDGE])
        .register(settingMeta, {
          does: 'Files and folders that the assistant answers from.',
          expected: 'a list of paths',
          example: '[./handbook, ./policies]',
          env: ['THREADWISE_KNOWLEDGE'],
          defaultText: '[examples/knowledge]',
        }),
      watch: flag(
        true,
        'THREADWISE_KNOWLEDGE_WATCH',
        'Take changes in these folders over while running. Off: at the next start, or by `ingest`.',
      ),
      embedder: choice(
        ['local', 'openai', 'none'],
        'local',
        'THREADWISE_EMBEDDER',
        'What makes vectors of text: the built-in English model, the endpoint under `embeddings`, or nothing (words alone).',
      ),
      label: z
        .string()
        .regex(LABEL)
        .default(EVERYONE)
        .register(settingMeta, {
          does: 'The audience label of these folders: who may be answered from them.',
          expected: 'a label in lower-case letters, digits, - and _',
          example: 'everyone',
          env: ['THREADWISE_KNOWLEDGE_LABEL'],
        }),
    })
    .prefault({}),

  model: z
    .strictObject({
      provider: z
        .enum(['extractive', 'openai'])
        .optional()
        .register(settingMeta, {
          does: '`extractive` quotes the documents and needs no key; `openai` is any OpenAI-compatible endpoint.',
          expected: 'one of extractive, openai',
          example: 'openai',
          env: ['THREADWISE_PROVIDER'],
          defaultText: 'openai when model.apiKey or model.baseUrl is set, extractive otherwise',
        }),
      baseUrl: address('OPENAI_BASE_URL', 'https://api.openai.com/v1', 'The endpoint, without `/chat/completions`.'),
      name: z
        .string()
        .min(1)
        .optional()
        .register(settingMeta, {
          does: 'The model. Required with an endpoint of your own.',
          expected: 'the name of a model of the endpoint',
          example: 'gpt-4.1-mini',
          env: ['THREADWISE_MODEL'],
          defaultText: 'gpt-4.1-mini at OpenAI',
        }),
      apiKey: secret(
        TOKEN,
        'a key of at least 8 characters without spaces',
        'sk-your-key',
        'OPENAI_API_KEY',
        'The key of the endpoint.',
      ),
      protocol: choice(
        ['native', 'text'],
        'native',
        'THREADWISE_MODEL_PROTOCOL',
        'How the model calls tools: `text` writes calls as lines of text, for models that have no tool calls.',
      ),
      emptyContent: choice(
        ['json_null', 'empty', 'omit'],
        'json_null',
        'THREADWISE_MODEL_EMPTY_CONTENT',
        'What stands for the text of a turn that only called tools; endpoints differ.',
      ),
      echoReasoning: flag(
        true,
        'THREADWISE_MODEL_ECHO_REASONING',
        "Send the model's reasoning back with the results of its tool calls, where the endpoint gave it.",
      ),
      inputUsdPerMillion: price('THREADWISE_MODEL_INPUT_USD', 'US dollars for a million input tokens, for budgets of money.'),
      outputUsdPerMillion: price('THREADWISE_MODEL_OUTPUT_USD', 'US dollars for a million output tokens.'),
      second: z
        .strictObject({
          baseUrl: address(
            'THREADWISE_SECOND_BASE_URL',
            'https://api.openai.com/v1',
            'Its endpoint. Not set: that of the first, with its key.',
          ),
          name: z
            .string()
            .min(1)
            .optional()
            .register(settingMeta, {
              does: 'A second model, asked when the first cannot serve. Not set: the documents are quoted then.',
              expected: 'the name of a model of the endpoint',
              example: 'gpt-4.1-nano',
              env: ['THREADWISE_SECOND_MODEL'],
            }),
          apiKey: secret(
            TOKEN,
            'a key of at least 8 characters without spaces',
            'sk-your-key',
            'THREADWISE_SECOND_API_KEY',
            'The key of its endpoint.',
          ),
        })
        .prefault({}),
    })
    .prefault({}),

  embeddings: z
    .strictObject({
      baseUrl: address(
        'THREADWISE_EMBEDDINGS_BASE_URL',
        'https://api.openai.com/v1',
        'The endpoint, without `/embeddings`. Not set: that of the model, with its key.',
      ),
      name: z
        .string()
        .min(1)
        .optional()
        .register(settingMeta, {
          does: 'The embedding model. Required with `knowledge.embedder: openai`.',
          expected: 'the name of an embedding model of the endpoint',
          example: 'text-embedding-3-small',
          env: ['THREADWISE_EMBEDDINGS_MODEL'],
        }),
      apiKey: secret(
        TOKEN,
        'a key of at least 8 characters without spaces',
        'sk-your-key',
        'THREADWISE_EMBEDDINGS_API_KEY',
        'The key of the embedding endpoint.',
      ),
      dimensions: z
        .int()
        .min(1)
        .max(8192)
        .optional()
        .register(settingMeta, {
          does: 'The length of its vectors. Required with `knowledge.embedder: openai`.',
          expected: 'a whole number from 1 to 8192',
          example: '1536',
          env: ['THREADWISE_EMBEDDINGS_DIMENSIONS'],
        }),
    })
    .prefault({}),

  slack: z
    .strictObject({
      botToken: secret(
        /^xoxb-\S{4,}$/,
        'a bot token that begins with xoxb-',
        'xoxb-your-token',
        'SLACK_BOT_TOKEN',
        'OAuth & Permissions, "Bot User OAuth Token".',
      ),
      appToken: secret(
        /^xapp-\S{4,}$/,
        'an app-level token that begins with xapp-',
        'xapp-your-token',
        'SLACK_APP_TOKEN',
        'For Socket Mode: Basic Information, "App-Level Tokens", with connections:write.',
      ),
      signingSecret: secret(
        TOKEN,
        'a secret of at least 8 characters without spaces',
        'your-signing-secret',
        'SLACK_SIGNING_SECRET',
        'For events over HTTP: Basic Information, "Signing Secret".',
      ),
      mode: z
        .enum(['socket', 'http'])
        .optional()
        .register(settingMeta, {
          does: 'How events arrive.',
          expected: 'one of socket, http',
          example: 'socket',
          env: ['THREADWISE_SLACK_MODE'],
          defaultText: 'socket when appToken is set, http otherwise',
        }),
      editIntervalMs: number(
        0,
        60_000,
        1200,
        'THREADWISE_SLACK_EDIT_INTERVAL_MS',
        'One edit of an answer per this time in the whole workspace; the default is what Slack allows (Tier 3). 0 switches the pacing off.',
      ),
      apiUrl: address('SLACK_API_URL', 'https://slack.com/api', 'Another address of the Web API, for tests.'),
    })
    .prefault({}),

  discord: z
    .strictObject({
      token: secret(
        /^(?!Bot )\S{8,}$/,
        'a bot token without spaces and without the word Bot',
        'your-bot-token',
        'DISCORD_TOKEN',
        'Developer portal, Bot, "Reset Token".',
      ),
      applicationId: z
        .string()
        .regex(/^\d+$/)
        .optional()
        .register(settingMeta, {
          does: 'Developer portal, General Information, "Application ID". Asked from Discord where it is not set.',
          expected: 'an id of digits, in quotes',
          example: '"123456789012345678"',
          env: ['DISCORD_APPLICATION_ID'],
        }),
      messageContent: flag(
        true,
        'DISCORD_MESSAGE_CONTENT',
        'Read messages without a mention (follow-ups in a thread). Needs the Message Content intent.',
      ),
      apiUrl: address('DISCORD_API_URL', 'https://discord.com/api', 'Another address of the API, for tests.'),
    })
    .prefault({}),

  people: z
    .strictObject({
      owners: ids(PERSON, EXPECTED_PEOPLE, '[slack:U0123ABCD]', ['THREADWISE_OWNERS'], 'Who may do everything.'),
      admins: ids(PERSON, EXPECTED_PEOPLE, '[slack:U0123ABCD]', ['THREADWISE_ADMINS'], 'Who may change what everyone sees.'),
      allow: ids(
        PERSON,
        EXPECTED_PEOPLE,
        '[slack:U0123ABCD, "discord:123456789012345678"]',
        ['THREADWISE_ALLOW'],
        'Who may ask. Empty: every member.',
      ),
      allowChannels: ids(
        PLACE,
        EXPECTED_PLACES,
        '[slack:C0123ABCD]',
        ['THREADWISE_ALLOW_CHANNELS'],
        'Where it answers. Empty: everywhere.',
      ),
      guests: choice(['refuse', 'allow'], 'refuse', 'THREADWISE_GUESTS', 'Guests of the workspace.'),
      external: choice(['refuse', 'allow'], 'refuse', 'THREADWISE_EXTERNAL', 'People of other organisations in shared channels.'),
      questionsPerMinute: number(1, 1000, 10, 'THREADWISE_QUESTIONS_PER_MINUTE', 'The limit of each person.'),
    })
    .prefault({}),

  audiences: z
    .record(
      z.string().regex(LABEL),
      z.strictObject({
        people: ids(PERSON, EXPECTED_PEOPLE, '[slack:U0123ABCD]', [], 'Who holds the label in a direct message.'),
        places: ids(PLACE, EXPECTED_PLACES, '[slack:C0123ABCD]', [], 'Channels whose every reader holds the label.'),
      }),
    )
    .default({})
    .register(settingMeta, {
      does: 'Audience labels, each with the people and places that hold it. `everyone` is built in.',
      expected: `a map of ${EXPECTED_LABELS} to people and places`,
      example: '{ finance: { people: [slack:U0123ABCD], places: [slack:C0123ABCD] } }',
      env: [],
    }),

  memory: z
    .strictObject({
      enabled: flag(true, 'THREADWISE_MEMORY', 'Remember what people said, and recall it where those who read the answer may.'),
      model: flag(
        true,
        'THREADWISE_MEMORY_MODEL',
        'Let the configured language model pick out what is remembered and write summaries, with a call of its own after a turn. Without one, or off, rules do.',
      ),
      recallTokens: number(0, 20_000, 800, 'THREADWISE_MEMORY_TOKENS', 'Tokens of what is recalled for one question.'),
      retentionDays: z
        .strictObject({
          decision: days('DECISION', 'decisions'),
          preference: days('PREFERENCE', 'preferences'),
          fact: days('FACT', 'facts'),
          commitment: days('COMMITMENT', 'commitments'),
          correction: days('CORRECTION', 'corrections'),
          opinion: days('OPINION', 'opinions'),
          result: days('RESULT', 'results of tools'),
          pin: days('PIN', 'pins'),
          summary: days('SUMMARY', 'summaries of conversations in which nobody speaks any more'),
        })
        .prefault({}),
    })
    .prefault({}),

  limits: z
    .strictObject({
      steps: number(1, 32, 8, 'THREADWISE_STEPS', 'Model calls in one run.'),
      windowTokens: number(500, 1_000_000, 12_000, 'THREADWISE_WINDOW_TOKENS', 'Tokens of the conversation that the model sees.'),
      windowTurns: number(
        0,
        50,
        50,
        'THREADWISE_WINDOW_TURNS',
        'Earlier turns that the model sees at most, however few tokens they have.',
      ),
      runTimeoutMs: number(1000, 3_600_000, 120_000, 'THREADWISE_RUN_TIMEOUT_MS', 'The time of one run.'),
      workers: number(1, 256, 16, 'THREADWISE_WORKERS', 'Runs at the same time.'),
      leaseMs: number(30_000, 600_000, 30_000, 'THREADWISE_LEASE_MS', 'How long a conversation stays with a process that died.'),
    })
    .prefault({}),

  budgets: z
    .strictObject({
      run: budget('one answer', 'RUN', 64, 500_000),
      person: dayBudget('one person', 'PERSON'),
      channel: dayBudget('one channel', 'CHANNEL'),
      day: dayBudget('everyone', 'DAY'),
    })
    .prefault({}),

  databases: z
    .strictObject({
      sources: z
        .array(path)
        .optional()
        .register(settingMeta, {
          does: 'Files that each describe one database and its named queries (docs/databases.md).',
          expected: 'a list of paths to YAML files',
          example: '[./databases/shop.yaml]',
          env: ['THREADWISE_DATABASES'],
          defaultText: '[examples/database/shop.yaml] while knowledge.folders is not set, none otherwise',
        }),
    })
    .prefault({}),

  tools: z
    .strictObject({
      plugins: z
        .array(path)
        .default([])
        .register(settingMeta, {
          does: 'Modules of your own tools. Each exports `registerTools(registry)`; it runs with the rights of the assistant.',
          expected: 'a list of paths to .ts, .js or .mjs files',
          example: '[./tools/order-status.ts]',
          env: ['THREADWISE_TOOL_PLUGINS'],
        }),
      http: z
        .array(path)
        .default([])
        .register(settingMeta, {
          does: 'Files that each describe one HTTP service and the operations of it that become tools (docs/http-tools.md).',
          expected: 'a list of paths to YAML files',
          example: '[./services/orders.yaml]',
          env: ['THREADWISE_HTTP_TOOLS'],
        }),
      mcp: mcpServers,
      mail: mailSettings,
    })
    .prefault({}),

  approvals: z
    .strictObject({
      direct: approvers(
        'asker',
        'THREADWISE_APPROVERS_DIRECT',
        'Who may decide about a call that changes something, where the asker alone reads: direct messages, the web page, the terminal.',
      ),
      channels: approvers(
        'admins',
        'THREADWISE_APPROVERS_CHANNELS',
        'The same in channels and threads, where what others wrote may have led the assistant astray.',
      ),
      tools: z
        .record(z.string(), z.array(z.string().regex(APPROVER)))
        .default({})
        .register(settingMeta, {
          does: 'The same for single tools, wherever they are asked for.',
          expected: `tools by name, each with a list of asker, admins and ${EXPECTED_PEOPLE}`,
          example: '{ send_email: [asker], restart_service: [admins] }',
          env: [],
        }),
      free: z
        .array(z.string())
        .default([])
        .register(settingMeta, {
          does: 'Tools that change something and need nobody to agree. A call that brings text from outside, data that is not for everyone and a change together needs it all the same.',
          expected: 'a list of names of tools',
          example: '[create_ticket]',
          env: ['THREADWISE_FREE_TOOLS'],
        }),
    })
    .prefault({}),

  triage: triageSettings,

  log: z
    .strictObject({
      level: choice(['debug', 'info', 'warn', 'error', 'silent'], 'info', 'THREADWISE_LOG_LEVEL', 'The least that is logged.'),
      format: choice(
        ['auto', 'json', 'pretty'],
        'auto',
        'THREADWISE_LOG_FORMAT',
        '`auto`: pretty at a terminal, JSON elsewhere.',
      ),
    })
    .prefault({}),
});

export type RawConfig = z.output<typeof configSchema>;
