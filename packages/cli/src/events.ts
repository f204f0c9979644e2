/** The command `dowel events`. */
import { type Delivery, deliveriesQuerySchema, deliveriesSchema } from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd, queryOf } from './call-back-end.ts';
import { type Command, parseTime, timeOf } from './command.ts';

export const listEvents: Command = {
  summary: 'list what the platform posted and what it was answered, 50 or --limit',
  options: [
    'installation',
    'event',
    'outcome',
    'reason',
    'since',
    'until',
    'order',
    'limit',
    'after',
  ],
  hasJson: true,
  async run(context) {
    const { since, until, installation: installationId, ...given } = context.options;
    const request = {
      ...given,
      installationId,
      since: since === undefined ? undefined : parseTime('since', since),
      until: until === undefined ? undefined : parseTime('until', until),
    };
    const query = acceptRequest(deliveriesQuerySchema.safeParse(request, { error: plainWords }));
    const path = `/deliveries?${queryOf(query)}`;
    const { deliveries, next } = await callBackEnd(context, { path, answer: deliveriesSchema });
    context.print({ deliveries, next }, () => deliveries.map(describeDelivery));
    if (next !== null) context.warn(`For further events: --after ${next}`);
    return 0;
  },
};

function describeDelivery(delivery: Delivery): string {
  const { at, event, status, reason, isRepeat, isVerified, host, installationId } = delivery;
  const answer = `${status}${isRepeat ? ' (repeated)' : ''}`;
  const from = isVerified ? host : `${host || '-'} (not verified)`;
  const { requestId } = delivery;
  return [timeOf(at), event, answer, reason ?? '-', from, installationId ?? '-', requestId].join(
    '  ',
  );
}
