/** The command `dowel calls`. */
import { type CallEntry, callsQuerySchema, callsSchema } from '@dowel/admin-api';
import { plainWords, reasonGroups } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd, queryOf } from './call-back-end.ts';
import { type Command, MisuseError, parseTime, timeOf } from './command.ts';

const reasons = [...Object.keys(reasonGroups.call), 'scope_missing'];

export const listCalls: Command = {
  summary: 'list the newest calls that failed, 50 or --limit',
  options: ['installation', 'reason', 'since', 'limit', 'after'],
  hasJson: true,
  async run(context) {
    const { since, installation: installationId, reason, ...given } = context.options;
    // A misspelt reason must not look as if no call had failed.
    if (reason !== undefined && !reasons.includes(reason)) {
      throw new MisuseError(`--reason must be one of ${reasons.join(', ')}`);
    }
    const request = {
      ...given,
      reason,
      installationId,
      since: since === undefined ? undefined : parseTime('since', since),
    };
    const query = acceptRequest(callsQuerySchema.safeParse(request, { error: plainWords }));
    const path = `/calls?${queryOf(query)}`;
    const { calls, next } = await callBackEnd(context, { path, answer: callsSchema });
    context.print({ calls, next }, () => calls.map(describeCall));
    if (next !== null) context.warn(`For earlier calls: --after ${next}`);
    return 0;
  },
};

function describeCall(call: CallEntry): string {
  const { lastAt, installation, operation, method, path, status, reason, fault, count } = call;
  const met = [reason, status, fault].filter((each) => each !== null).join(' ');
  const columns = [
    timeOf(lastAt),
    installation.host,
    operation,
    `${method} ${path}`,
    count === 1 ? met : `${met} (${count} times)`,
    `${call.durationMs} ms`,
    call.requestId,
    call.answer,
  ];
  return columns.map((each) => each || '-').join('  ');
}
