/** The commands `dowel alerts …`, which do the same as the dashboard's page. */
import {
  type Alerts,
  alertChannelSchema,
  alertsSchema,
  alertTestRequestSchema,
  alertTestResultSchema,
  endSilenceRequestSchema,
  plainWords,
  silenceHours,
  silenceRequestSchema,
} from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd } from './call-back-end.ts';
import type { Command, CommandContext } from './command.ts';

export const listAlerts: Command = {
  summary: 'list open alerts, silences, and where messages go',
  async run(context) {
    const alerts = await callBackEnd(context, { path: '/alerts', answer: alertsSchema });
    for (const line of listLines(alerts)) context.say(line);
    return 0;
  },
};

export const silenceAlert: Command = {
  summary: `send nothing about a rule, open or not (--hours ${silenceHours.join(' | ')}, --reason)`,
  takes: ['RULE'],
  options: ['hours', 'reason', 'key'],
  async run(context) {
    const body = acceptRequest(
      silenceRequestSchema.safeParse(requestOf(context), { error: plainWords }),
    );
    await callBackEnd(context, { method: 'POST', path: '/alerts/silences', body });
    context.say(`Nothing is sent about ${nameOf(body)} for ${body.hours} h.`);
    return 0;
  },
};

export const endSilence: Command = {
  summary: 'send messages about a rule again (--reason)',
  takes: ['RULE'],
  options: ['reason', 'key'],
  async run(context) {
    const body = acceptRequest(
      endSilenceRequestSchema.safeParse(requestOf(context), { error: plainWords }),
    );
    await callBackEnd(context, { method: 'POST', path: '/alerts/silences/end', body });
    context.say(`Messages about ${nameOf(body)} are sent.`);
    return 0;
  },
};

export const testAlerts: Command = {
  summary: `send a test message now (--reason); CHANNEL is ${alertChannelSchema.options.join(' | ')}`,
  takes: ['CHANNEL'],
  options: ['reason'],
  async run(context) {
    const [name = ''] = context.args;
    const { data: channel } = alertChannelSchema.safeParse(name);
    if (channel === undefined) {
      throw new SyntaxError(`CHANNEL must be ${alertChannelSchema.options.join(' or ')}`);
    }
    const { isDelivered, message } = await callBackEnd(context, {
      method: 'POST',
      path: `/alerts/channels/${channel}/test`,
      body: acceptRequest(
        alertTestRequestSchema.safeParse({ ...context.options }, { error: plainWords }),
      ),
      answer: alertTestResultSchema,
    });
    (isDelivered ? context.say : context.warn)(message);
    return isDelivered ? 0 : 1;
  },
};

/** The input of the schemas of the dashboard's API. */
function requestOf({ args: [rule], options: { key, hours, ...options } }: CommandContext) {
  return {
    ...options,
    rule,
    ...(hours !== undefined && { hours: Number(hours) }),
    ...(key !== undefined && { subject: key }),
  };
}

function nameOf({ rule, subject }: { rule: string; subject: string }): string {
  return `${rule} ${subject}`.trim();
}

function* listLines({ open, silences, channels }: Alerts): Generator<string> {
  if (open.length === 0) yield 'No alert is open.';
  for (const { rule, subject, since, facts, tellings } of open) {
    const count = `${facts.isAtLeast ? 'more than ' : ''}${facts.count}`;
    yield [
      'open',
      nameOf({ rule, subject }),
      `since ${timeOf(since)}`,
      count,
      `told ${tellings}×`,
    ].join('  ');
  }
  for (const { rule, subject, until, by, reason } of silences) {
    yield ['silenced', nameOf({ rule, subject }), `until ${timeOf(until)}`, by, reason].join('  ');
  }
  for (const { channel, target, last, waiting } of channels) {
    const newest = last ? `${last.kind} ${last.state} ${timeOf(last.createdAt)}` : 'no message yet';
    const error = last?.state === 'delivered' ? null : last?.lastError;
    yield [
      channel,
      target ?? 'not set up',
      newest,
      `${waiting} waiting`,
      ...(error ? [error] : []),
    ].join('  ');
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
