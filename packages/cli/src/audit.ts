/** The command `dowel audit`. */
import { type AuditEntry, auditListSchema, auditQuerySchema } from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd, queryOf } from './call-back-end.ts';
import { type Command, parseTime, timeOf } from './command.ts';

export const listAudit: Command = {
  summary: 'list the newest actions of operators, 50 or --limit',
  options: ['since', 'who', 'action', 'installation', 'limit'],
  hasJson: true,
  async run(context) {
    const { since, installation: installationId, ...given } = context.options;
    const request = {
      ...given,
      installationId,
      since: since === undefined ? undefined : parseTime('since', since),
    };
    const query = acceptRequest(auditQuerySchema.safeParse(request, { error: plainWords }));
    const path = `/audit?${queryOf(query)}`;
    const { entries, next } = await callBackEnd(context, { path, answer: auditListSchema });
    context.print({ entries }, () => entries.map(describeEntry));
    if (next !== null) context.warn(`There are earlier actions than these ${entries.length}.`);
    return 0;
  },
};

function describeEntry(entry: AuditEntry): string {
  const { at, who, action, target, reason, result, detail, count } = entry;
  const outcome = count === 1 ? result : `${result} (${count} times)`;
  const columns = [timeOf(at), who, action, target, outcome, reason, detail];
  return columns.map((each) => each ?? '-').join('  ');
}
