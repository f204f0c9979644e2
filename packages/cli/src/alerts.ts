/** The commands `dowel alerts …`, which do the same as the dashboard's page. */
import {
  type Alerts,
  alertChannelSchema,
  alertTestRequestSchema,
  endSilenceRequestSchema,
  plainWords,
  silenceHours,
  silenceRequestSchema,
} from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import type { Command, CommandContext } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileActing } from './while-acting.ts';

export const listAlerts: Command = {
  summary: 'list open alerts, silences, and where messages go',
  run: (context) =>
    whileActing(context, async ({ alerts }) => {
      for (const line of listLines(await alerts.describe())) context.say(line);
      // The channels are those of this command's settings.
      for (const difference of await alerts.listDifferences()) context.warn(difference);
      return 0;
    }),
};

export const silenceAlert: Command = {
  summary: `send nothing about a rule, open or not (--hours ${silenceHours.join(' | ')}, --reason)`,
  takes: ['RULE'],
  options: ['hours', 'reason', 'key'],
  run(context) {
    const request = acceptRequest(
      silenceRequestSchema.safeParse(requestOf(context), { error: plainWords }),
    );
    return whileActing(context, async ({ alerts }) => {
      await alerts.silence(currentUser(), request);
      context.say(`Nothing is sent about ${nameOf(request)} for ${request.hours} h.`);
      return 0;
    });
  },
};

export const endSilence: Command = {
  summary: 'send messages about a rule again (--reason)',
  takes: ['RULE'],
  options: ['reason', 'key'],
  run(context) {
    const request = acceptRequest(
      endSilenceRequestSchema.safeParse(requestOf(context), { error: plainWords }),
    );
    return whileActing(context, async ({ alerts }) => {
      const wasSilenced = await alerts.endSilence(currentUser(), request);
      const name = nameOf(request);
      context.say(
        wasSilenced ? `Messages about ${name} are sent again.` : `${name} was not silenced.`,
      );
      return 0;
    });
  },
};

export const testAlerts: Command = {
  summary: `send a test message now (--reason); CHANNEL is ${alertChannelSchema.options.join(' | ')}`,
  takes: ['CHANNEL'],
  options: ['reason'],
  run(context) {
    const [name = ''] = context.args;
    const { data: channel } = alertChannelSchema.safeParse(name);
    if (channel === undefined) {
      throw new SyntaxError(`CHANNEL must be ${alertChannelSchema.options.join(' or ')}`);
    }
    const { reason } = acceptRequest(
      alertTestRequestSchema.safeParse({ ...context.options }, { error: plainWords }),
    );
    return whileActing(context, async ({ alerts }) => {
      const { isDelivered, message } = await alerts.test(currentUser(), { channel, reason });
      (isDelivered ? context.say : context.warn)(message);
      return isDelivered ? 0 : 1;
    });
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
