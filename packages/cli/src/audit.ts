/** The command `dowel audit`. */
import {
  type AuditEntry,
  auditedActions,
  auditListSchema,
  auditQuerySchema,
  isAuditedAction,
  type SignInMethod,
  signInMethodSchema,
} from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd, queryOf } from './call-back-end.ts';
import { type Command, MisuseError, parseTime, timeOf } from './command.ts';

export const listAudit: Command = {
  summary: 'list the newest actions of operators, 50 or --limit',
  options: ['since', 'who', 'action', 'installation', 'limit', 'after'],
  hasJson: true,
  async run(context) {
    const { since, installation: installationId, ...given } = context.options;
    assertAction(given.action);
    const request = {
      ...given,
      installationId,
      since: since === undefined ? undefined : parseTime('since', since),
    };
    const query = acceptRequest(auditQuerySchema.safeParse(request, { error: plainWords }));
    const path = `/audit?${queryOf(query)}`;
    const { entries, next } = await callBackEnd(context, { path, answer: auditListSchema });
    context.print({ entries, next }, () => entries.map(describeEntry));
    if (next !== null) context.warn(`For earlier actions: --after ${next}`);
    return 0;
  },
};

/** A misspelt action must not look as if nobody had done it. */
function assertAction(action: string | undefined): void {
  if (action === undefined || isAuditedAction(action)) return;
  throw new MisuseError(`--action must be one of ${auditedActions.join(', ')}`);
}

const signInWays: Readonly<Record<SignInMethod, string>> = {
  code: 'one-time code',
  password: 'password',
  oidc: 'single sign-on',
};

/** The way of a sign-in in words; other targets as they are. */
function describeTarget({ action, target }: AuditEntry): string | null {
  const { data: method } = signInMethodSchema.safeParse(target);
  return action === 'sign-in' && method ? signInWays[method] : target;
}

function describeEntry(entry: AuditEntry): string {
  const { at, who, action, reason, result, detail, count } = entry;
  const outcome = count === 1 ? result : `${result} (${count} times)`;
  const columns = [timeOf(at), who, action, describeTarget(entry), outcome, reason, detail];
  return columns.map((each) => each ?? '-').join('  ');
}
