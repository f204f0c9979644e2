/** What a fault does to a request of a plug-in. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerFault, refuses } from './authorization-server/index.ts';
import { changeMembers } from './change-members.ts';
import type { Environment } from './environment.ts';
import type { MetFault } from './faults.ts';

const oversizedBytes = 10 * 1024 * 1024;
const page = '<!doctype html><title>Something else answers here</title>';

export function toAnswerFault(
  { closed, exchanges }: Environment,
  { fault, released }: MetFault,
  { url, ...key }: { url: string; tenantId: string | undefined; pluginId: string | undefined },
): AnswerFault {
  const wait = (ms: number) => () =>
    sleep(ms, undefined, { ref: false, signal: closed }).catch(() => undefined);
  switch (fault.name) {
    case 'token.lostAnswer':
    case 'key.down':
      return { isLost: true };
    case 'token.hang':
    case 'api.hang':
      return { hangs: true };
    case 'token.slow':
    case 'key.slow':
      return { after: wait(fault.ms) };
    case 'token.unavailable':
    case 'token.limited':
    case 'api.limited':
    case 'api.status':
      return refusesWith('status' in fault ? fault.status : 429, fault.retryAfter);
    case 'token.refused':
      return refuses(400, { error: fault.error });
    case 'token.notJson':
      return refuses(fault.status, page);
    case 'token.cutOff':
      return { isCutOff: true };
    case 'token.oversized':
      return refuses(200, { access_token: 'x'.repeat(oversizedBytes) });
    case 'token.answer':
      return {
        change: (answer) =>
          answer.status === 200 ? { ...answer, body: changeMembers(answer.body, fault) } : answer,
      };
    case 'trigger.refused':
      return refusesWith(fault.status);
    case 'trigger.silent':
      return refuses(202, { accepted: true });
    case 'key.redirect':
      return refuses(302, {}, { location: fault.location ?? `${url}?moved` });
    case 'key.notFound':
    case 'api.off':
      return refusesWith(404);
    case 'api.unauthorized':
      return {
        before: () =>
          fault.until
            ? exchanges.next({ ...key, kind: fault.until })
            : Promise.all([wait(fault.ms)(), released()]),
        ...unauthorized,
      };
    case 'api.scopeWithdrawn':
      return refuses(403, { code: 'SCOPE_MISSING', message: 'The scope was withdrawn' });
    default:
      // The handler of the trigger does it, or the sender of an event.
      return {};
  }
}

const unauthorized = refuses(
  401,
  { code: 'ACCESS_TOKEN_INVALID', message: 'The access token is not valid' },
  { 'www-authenticate': 'Bearer realm="platform", error="invalid_token"' },
);

function refusesWith(status: number, retryAfter?: number): AnswerFault {
  const body = { code: 'FAULT', message: `A fault answers ${status}` };
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return refuses(status, body, headers);
}
