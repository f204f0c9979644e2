/** The commands `dowel alerts …`, which do the same as the dashboard's page. */
import {
  type Alerts,
  alertChannelSchema,
  alertsSchema,
  alertTestRequestSchema,
  alertTestResultSchema,
} from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd } from './call-back-end.ts';
import { type Command, MisuseError, timeOf } from './command.ts';

export const listAlerts: Command = {
  summary: 'list open alerts, and where messages go',
  hasJson: true,
  async run(context) {
    const alerts = await callBackEnd(context, { path: '/alerts', answer: alertsSchema });
    context.print(alerts, () => listLines(alerts));
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
      throw new MisuseError(`CHANNEL must be ${alertChannelSchema.options.join(' or ')}`);
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

function* listLines({ open, channels }: Alerts): Generator<string> {
  if (open.length === 0) yield 'No alert is open.';
  for (const { rule, subject, since, facts } of open) {
    const count = `${facts.isAtLeast ? 'more than ' : ''}${facts.count}`;
    yield ['open', `${rule} ${subject}`.trim(), `since ${timeOf(since)}`, count].join('  ');
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
