/** The API of the dashboard's page about calls; reading only. */
import {
  callGroupsQuerySchema,
  callGroupsSchema,
  callsQuerySchema,
  callsSchema,
} from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import { type AdminRoute, maySeeAddresses, route } from './admin-route.ts';
import type { FoundSession } from './operator-session.ts';

export interface CallRoutesContext {
  store: Pick<Store, 'reports'>;
  now: () => number;
}

export function listCallRoutes({ store, now }: CallRoutesContext): AdminRoute[] {
  return [
    route('GET /calls', {
      role: 'viewer',
      summary: 'Calls to the platform, the latest first',
      query: callsQuerySchema,
      answer: callsSchema,
      async handle({ session, query }) {
        const { calls, next } = await store.reports.listCalls(query);
        const shown = calls.map((call) => asSeenBy(session, call));
        return { now: now(), calls: shown, next };
      },
    }),
    route('GET /calls/groups', {
      role: 'viewer',
      summary: 'Failed calls by reason and by host',
      query: callGroupsQuerySchema,
      answer: callGroupsSchema,
      handle: async ({ query }) => ({ now: now(), ...(await store.reports.groupCalls(query)) }),
    }),
  ];
}

/** Returns the call without what may name a person, if the operator may not see it: its user and the platform's answer. */
export function asSeenBy<Call extends { answer: string | null }>(
  session: Pick<FoundSession, 'role'>,
  call: Call,
): Call {
  if (maySeeAddresses(session)) return call;
  return { ...call, answer: null, ...('userId' in call && { userId: null }) };
}
