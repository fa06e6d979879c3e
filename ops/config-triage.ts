/** `triage`: the teams that tickets go to, their hours, and how long a ticket may wait. */
import { z } from 'zod';
import { helpdesks } from './config-helpdesks.ts';
import { mailInSettings } from './config-mail-in.ts';
import { flag, ids, number, settingMeta } from './config-setting.ts';
import { webhooks } from './config-webhooks.ts';

const PERSON = /^(?:slack:[UW][A-Z0-9]+|discord:\d+|web:[\w-]+|terminal:local)$/;
const CHANNEL = /^(?:slack:[CG][A-Z0-9]+|discord:\d+)$/;
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const hours = z.strictObject(Object.fromEntries(WEEKDAYS.map((day) => [day, z.array(z.string()).optional()])));

const calendar = z.strictObject({
  timeZone: z.string().min(1),
  hours,
  holidays: z.array(z.string().regex(DAY)).default([]),
});

const team = z.strictObject({
  channel: z.string().regex(CHANNEL).optional(),
  privateChannel: z.string().regex(CHANNEL).optional(),
  members: z.array(z.string().regex(PERSON)).default([]),
  calendar: calendar.optional(),
  autoAssign: z.boolean().default(false),
});

const sureness = z.union([z.number().min(0).max(1), z.literal('never')]);

const level = z.strictObject({ first_answer: z.number().positive().optional(), solved: z.number().positive().optional() });

export const triageSettings = z
  .strictObject({
    teams: z.record(z.string().regex(NAME), team).default({}).register(settingMeta, {
      does: 'The teams that tickets go to: the channel of their cards, one that the team alone reads for private tickets, members, hours (docs/triage.md).',
      expected: 'teams by name, each with channel, privateChannel, members, calendar and autoAssign as far as it has them',
      example: '{ billing: { channel: slack:C0123ABCD, members: [slack:U0123ABCD], autoAssign: true } }',
      env: [],
    }),
    defaultTeam: z
      .string()
      .regex(NAME)
      .optional()
      .register(settingMeta, {
        does: 'The team of what no rule and no category sends elsewhere.',
        expected: 'the name of a team under triage.teams',
        example: 'support',
        env: ['THREADWISE_TRIAGE_DEFAULT_TEAM'],
      }),
    taxonomy: z
      .string()
      .min(1)
      .optional()
      .register(settingMeta, {
        does: 'A YAML file with the categories, products and priorities of your tickets (docs/triage.md). Not set: tickets are not read, rules alone route them.',
        expected: 'a path to a YAML file',
        example: './taxonomy.yaml',
        env: ['THREADWISE_TRIAGE_TAXONOMY'],
      }),
    rules: z
      .string()
      .min(1)
      .optional()
      .register(settingMeta, {
        does: 'A YAML file of routing rules on the fields of a ticket (docs/triage.md).',
        expected: 'a path to a YAML file',
        example: './triage-rules.yaml',
        env: ['THREADWISE_TRIAGE_RULES'],
      }),
    calendar: calendar
      .default({
        timeZone: 'UTC',
        hours: Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, ['09:00-17:00']])),
        holidays: [],
      })
      .register(settingMeta, {
        does: 'The hours of teams without a calendar of their own.',
        expected: 'timeZone, hours by weekday such as monday: [09:00-17:00], and holidays such as 2026-12-25',
        example: '{ timeZone: Europe/Berlin, hours: { monday: [09:00-12:30, 13:30-18:00] }, holidays: [2026-12-25] }',
        env: [],
      }),
    serviceLevels: z
      .strictObject({ urgent: level.optional(), high: level.optional(), normal: level.optional(), low: level.optional() })
      .default({})
      .register(settingMeta, {
        does: 'Minutes of working time to the first answer and to the solution, by priority. Teams are warned at three quarters and at the end.',
        expected: 'first_answer and solved in minutes, by priority',
        example: '{ urgent: { first_answer: 30, solved: 240 }, normal: { first_answer: 480 } }',
        env: [],
      }),
    emoji: z
      .string()
      .regex(/^[a-z0-9_+'-]{1,100}$/u)
      .default('ticket')
      .register(settingMeta, {
        does: 'The emoji that makes a ticket of the message it is put under, by its name in Slack.',
        expected: 'the name of an emoji without colons',
        example: 'sos',
        env: ['THREADWISE_TRIAGE_EMOJI'],
      }),
    channels: ids(
      CHANNEL,
      'ids of channels such as slack:C0123ABCD',
      '[slack:C0123ABCD]',
      ['THREADWISE_TRIAGE_CHANNELS'],
      'Channels in which each message that begins a thread is a ticket.',
    ),
    drafts: flag(
      true,
      'THREADWISE_TRIAGE_DRAFTS',
      'Draft an answer to each ticket from the documents that everyone may read; it stands on the card.',
    ),
    report: z
      .strictObject({
        channel: z.string().regex(CHANNEL),
        weekday: z.enum(WEEKDAYS).default('monday'),
        hour: z.int().min(0).max(23).default(9),
      })
      .optional()
      .register(settingMeta, {
        does: 'Where the week of tickets is reported, on which weekday and from which hour on by `triage.calendar`. Not set: nowhere.',
        expected: 'channel, weekday and hour (0 to 23)',
        example: '{ channel: slack:C0123ABCD, weekday: monday, hour: 9 }',
        env: [],
      }),
    articles: flag(
      true,
      'THREADWISE_TRIAGE_ARTICLES',
      'Propose an article about what a person solved and no document had; published among the documents once a person approves it.',
    ),
    sendAlone: z
      .array(z.string().min(1))
      .default([])
      .register(settingMeta, {
        does: 'Categories of the taxonomy whose drafts are sent without a person; never those that are sensitive, unsure or say too little.',
        expected: 'a list of ids of categories',
        example: '[order_status]',
        env: ['THREADWISE_TRIAGE_SEND_ALONE'],
      }),
    sendConfidence: z.number().min(0.5).max(1).default(0.9).register(settingMeta, {
      does: 'How sure the category must be for that.',
      expected: 'a number from 0.5 to 1',
      example: '0.95',
      env: [],
    }),
    draftPolicy: z
      .record(
        z.string().min(1),
        z.strictObject({
          suggest: sureness.optional(),
          send: z.union([z.number().min(0.5).max(1), z.literal('never')]).optional(),
        }),
      )
      .default({})
      .register(settingMeta, {
        does: 'By category, or `*` for all others: how sure it must be for a draft to be suggested (below it, a draft is only shown, and sent after a person edited it), and to be sent without a person. Suggested always and sent never where nothing is said; `sendAlone` says the same of sending.',
        expected: 'suggest and send by category, each a number from 0 to 1 or never; 0.5 and more for send',
        example: '{ order_status: { suggest: 0.4, send: 0.95 }, legal: { suggest: never }, "*": { suggest: 0.5 } }',
        env: [],
      }),
    webhooks,
    mail: mailInSettings,
    helpdesks,
    burstSeconds: number(
      0,
      3_600,
      180,
      'THREADWISE_TRIAGE_BURST_SECONDS',
      'Messages of one author in one place this close together are one ticket; 0 makes each its own.',
    ),
    followUpHours: number(
      0,
      8_760,
      72,
      'THREADWISE_TRIAGE_FOLLOW_UP_HOURS',
      'After this much silence of the asker, they are asked whether it is solved; 0 never asks.',
    ),
    closeHours: number(
      0,
      8_760,
      168,
      'THREADWISE_TRIAGE_CLOSE_HOURS',
      'After that question, or a solution, and this much silence a ticket is closed; 0 never closes.',
    ),
  })
  .prefault({});

export type TriageConfig = z.output<typeof triageSettings>;
