/** What one setting alone cannot tell: channels that are half configured, models without a key, labels nobody defined. */

import { type DatabaseConfig, type DatabaseFiles, readDatabases } from './config-databases.ts';
import { type HelpdeskConfig, readHelpdesks } from './config-helpdesks.ts';
import { type HttpServiceConfig, readHttpServices } from './config-http.ts';
import { checkMail, type MailConfig } from './config-mail.ts';
import { checkMailIn, type MailInConfig } from './config-mail-in.ts';
import { type McpServerConfig, readMcpServers } from './config-mcp.ts';
import { EVERYONE, type RawConfig, SAMPLE_DATABASE, SAMPLE_KNOWLEDGE } from './config-schema.ts';
import { readWebhooks, type WebhookConfig } from './config-webhooks.ts';
import type { Secret } from './secret.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_MODEL = 'gpt-4.1-mini';

export interface ModelConfig {
  readonly provider: 'extractive' | 'openai';
  readonly baseUrl: string;
  readonly name: string;
  readonly apiKey: Secret | undefined;
  /** How the model calls tools. */
  readonly protocol: 'native' | 'text';
  readonly emptyContent: 'json_null' | 'empty' | 'omit';
  readonly echoReasoning: boolean;
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  /** Asked when the first cannot serve. */
  readonly second: { readonly baseUrl: string; readonly name: string; readonly apiKey: Secret | undefined } | undefined;
}

export interface EmbeddingsConfig {
  readonly baseUrl: string;
  readonly name: string;
  readonly dimensions: number;
  readonly apiKey: Secret | undefined;
}

export interface SlackConfig {
  readonly botToken: Secret;
  readonly mode: 'socket' | 'http';
  /** Set in socket mode. */
  readonly appToken: Secret | undefined;
  /** Set in http mode. */
  readonly signingSecret: Secret | undefined;
  readonly editIntervalMs: number;
  readonly apiUrl: string | undefined;
}

export interface DiscordConfig {
  readonly token: Secret;
  readonly applicationId: string | undefined;
  readonly messageContent: boolean;
  readonly apiUrl: string | undefined;
}

/** The whole configuration, complete: what is undefined is switched off. */
export type Config = Readonly<
  Omit<RawConfig, 'model' | 'embeddings' | 'slack' | 'discord' | 'databases' | 'tools' | 'triage'> & {
    triage: Omit<RawConfig['triage'], 'webhooks' | 'mail' | 'helpdesks'> & {
      readonly webhooks: readonly WebhookConfig[];
      readonly mail: MailInConfig | undefined;
      readonly helpdesks: readonly HelpdeskConfig[];
    };
    tools: Omit<RawConfig['tools'], 'mcp' | 'mail'> & {
      readonly mcp: readonly McpServerConfig[];
      readonly mail: MailConfig | undefined;
    };
    databases: readonly DatabaseConfig[];
    /** Of `tools.http`. */
    services: readonly HttpServiceConfig[];
    model: ModelConfig;
    /** Set with `knowledge.embedder: openai`. */
    embeddings: EmbeddingsConfig | undefined;
    slack: SlackConfig | undefined;
    discord: DiscordConfig | undefined;
  }
>;

type Report = (problem: string) => void;

/** A key goes to the host it was given for and to no other. */
const checkSecond = ({ model }: RawConfig, firstUrl: string, report: Report): ModelConfig['second'] => {
  const { name, baseUrl, apiKey } = model.second;
  if (name === undefined) {
    if (baseUrl !== undefined || apiKey !== undefined) {
      report(
        'model.second.name (THREADWISE_SECOND_MODEL): expected the name of the second model beside its other settings, got none; for example model: { second: { name: gpt-4.1-nano } }',
      );
    }
    return undefined;
  }
  const key = apiKey ?? (baseUrl === undefined ? model.apiKey : undefined);
  if ((baseUrl ?? firstUrl) === OPENAI_URL && key === undefined) {
    report(
      'model.second.apiKey (THREADWISE_SECOND_API_KEY): expected a key for OpenAI, got none; for example THREADWISE_SECOND_API_KEY=sk-your-key',
    );
  }
  return { baseUrl: baseUrl ?? firstUrl, name, apiKey: key };
};

/** A limit in money without prices would limit nothing. */
const checkBudgets = ({ budgets, model }: RawConfig, report: Report): void => {
  const limited = Object.entries(budgets).filter(([, { usd }]) => usd > 0);
  if (limited.length === 0 || model.inputUsdPerMillion > 0 || model.outputUsdPerMillion > 0) return;
  report(
    `model.inputUsdPerMillion (THREADWISE_MODEL_INPUT_USD): expected a price to count budgets.${limited[0]?.[0]}.usd by, got none; for example model: { inputUsdPerMillion: 0.4, outputUsdPerMillion: 1.6 }`,
  );
};

const checkModel = (raw: RawConfig, report: Report): ModelConfig => {
  const { model } = raw;
  const provider = model.provider ?? (model.apiKey !== undefined || model.baseUrl !== undefined ? 'openai' : 'extractive');
  const baseUrl = model.baseUrl ?? OPENAI_URL;
  if (provider === 'openai' && baseUrl === OPENAI_URL && model.apiKey === undefined) {
    report(
      'model.apiKey (OPENAI_API_KEY): expected a key for OpenAI, got none; for example OPENAI_API_KEY=sk-your-key, or set model.baseUrl to an endpoint that needs none',
    );
  }
  if (provider === 'openai' && baseUrl !== OPENAI_URL && model.name === undefined) {
    report(
      'model.name (THREADWISE_MODEL): expected the name of a model of your endpoint, got none; for example THREADWISE_MODEL=llama3.1',
    );
  }
  return {
    ...model,
    provider,
    baseUrl,
    name: model.name ?? OPENAI_MODEL,
    apiKey: model.apiKey,
    second: checkSecond(raw, baseUrl, report),
  };
};

const checkEmbeddings = ({ knowledge, embeddings, model }: RawConfig, report: Report): EmbeddingsConfig | undefined => {
  if (knowledge.embedder !== 'openai') {
    if (embeddings.name !== undefined || embeddings.baseUrl !== undefined) {
      report(
        `embeddings: expected to be used, got knowledge.embedder: ${knowledge.embedder}; for example knowledge: { embedder: openai }`,
      );
    }
    return undefined;
  }
  const { name, dimensions } = embeddings;
  // A key goes to the host it was given for and to no other.
  const apiKey = embeddings.apiKey ?? (embeddings.baseUrl === undefined ? model.apiKey : undefined);
  const baseUrl = embeddings.baseUrl ?? model.baseUrl ?? OPENAI_URL;
  if (name === undefined) {
    report(
      'embeddings.name (THREADWISE_EMBEDDINGS_MODEL): expected the name of an embedding model, got none; for example text-embedding-3-small',
    );
  }
  if (dimensions === undefined) {
    report(
      'embeddings.dimensions (THREADWISE_EMBEDDINGS_DIMENSIONS): expected the length of its vectors, got none; for example 1536',
    );
  }
  if (baseUrl === OPENAI_URL && apiKey === undefined) {
    report(
      'embeddings.apiKey (THREADWISE_EMBEDDINGS_API_KEY): expected a key for OpenAI, got none; for example OPENAI_API_KEY=sk-your-key',
    );
  }
  return { baseUrl, name: name ?? '', dimensions: dimensions ?? 1, apiKey };
};

const checkSlack = ({ slack, web }: RawConfig, report: Report): SlackConfig | undefined => {
  const { botToken, appToken, signingSecret } = slack;
  if (botToken === undefined) {
    if (appToken !== undefined || signingSecret !== undefined || slack.mode !== undefined) {
      report(
        'slack.botToken (SLACK_BOT_TOKEN): expected a bot token beside the other Slack settings, got none; for example SLACK_BOT_TOKEN=xoxb-your-token',
      );
    }
    return undefined;
  }
  const mode = slack.mode ?? (appToken !== undefined ? 'socket' : 'http');
  if (appToken === undefined && signingSecret === undefined) {
    report(
      'slack.appToken (SLACK_APP_TOKEN): expected an app-level token (or slack.signingSecret for events over HTTP), got none; for example SLACK_APP_TOKEN=xapp-your-token',
    );
  } else if (mode === 'socket' && appToken === undefined) {
    report(
      'slack.appToken (SLACK_APP_TOKEN): expected an app-level token with slack.mode: socket, got none; for example SLACK_APP_TOKEN=xapp-your-token',
    );
  } else if (mode === 'http' && signingSecret === undefined) {
    report(
      'slack.signingSecret (SLACK_SIGNING_SECRET): expected a signing secret with slack.mode: http, got none; for example SLACK_SIGNING_SECRET=your-signing-secret',
    );
  }
  if (mode === 'http' && !web.enabled) {
    report(
      'web.enabled (THREADWISE_WEB): expected true with slack.mode: http, which receives events there, got false; for example web: { enabled: true }',
    );
  }
  return { botToken, mode, appToken, signingSecret, editIntervalMs: slack.editIntervalMs, apiUrl: slack.apiUrl };
};

const checkDiscord = ({ discord }: RawConfig, report: Report): DiscordConfig | undefined => {
  const { token, ...rest } = discord;
  if (token !== undefined)
    return { token, applicationId: rest.applicationId, messageContent: rest.messageContent, apiUrl: rest.apiUrl };
  if (rest.applicationId !== undefined) {
    report(
      'discord.token (DISCORD_TOKEN): expected a bot token beside the other Discord settings, got none; for example DISCORD_TOKEN=your-bot-token',
    );
  }
  return undefined;
};

const checkLabels = ({ audiences, web, knowledge }: RawConfig, report: Report): void => {
  if (EVERYONE in audiences)
    report(
      `audiences.${EVERYONE}: expected another label, got the one that is built in; for example audiences: { staff: { people: [slack:U0123ABCD] } }`,
    );
  const known = new Set([EVERYONE, ...Object.keys(audiences)]);
  const uses = [['knowledge.label', knowledge.label] as const, ...web.labels.map((label) => ['web.labels', label] as const)];
  for (const [key, label] of uses) {
    if (!known.has(label))
      report(
        `${key}: expected one of ${[...known].join(', ')}, got "${label}"; for example audiences: { ${label}: { people: [slack:U0123ABCD] } }`,
      );
  }
};

/** The sample database goes with the sample documents. */
const checkDatabases = ({ databases, knowledge, audiences }: RawConfig, files: DatabaseFiles, report: Report) => {
  const isSample = knowledge.folders.length === 1 && knowledge.folders[0] === SAMPLE_KNOWLEDGE;
  const isThere = isSample && files.readFile(SAMPLE_DATABASE) !== undefined;
  const paths = databases.sources ?? (isThere ? [SAMPLE_DATABASE] : []);
  return readDatabases(paths, [EVERYONE, ...Object.keys(audiences)], files, report);
};

export const checkConfig = (
  raw: RawConfig,
  files: DatabaseFiles,
): { readonly config: Config; readonly problems: readonly string[] } => {
  const problems: string[] = [];
  const report: Report = (problem) => void problems.push(problem);
  checkLabels(raw, report);
  checkBudgets(raw, report);
  const mail = checkMail(raw.tools.mail, raw.triage.mail.host !== undefined, report);
  const config: Config = {
    ...raw,
    model: checkModel(raw, report),
    embeddings: checkEmbeddings(raw, report),
    slack: checkSlack(raw, report),
    discord: checkDiscord(raw, report),
    databases: checkDatabases(raw, files, report),
    tools: {
      ...raw.tools,
      mcp: readMcpServers(raw.tools.mcp, files, report),
      mail,
    },
    triage: {
      ...raw.triage,
      webhooks: readWebhooks(raw.triage.webhooks, files, report),
      mail: checkMailIn(raw.triage.mail, mail, report),
      helpdesks: readHelpdesks(raw.triage.helpdesks, Object.keys(raw.triage.teams), files, report),
    },
    services: readHttpServices(raw.tools.http, [EVERYONE, ...Object.keys(raw.audiences)], files, report),
  };
  return { config, problems };
};
