/** The data of the pages: one query per control resource. */
import type { Session } from '@dowel/emulator/control-api';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import {
  loadExamination,
  loadExchange,
  loadExchanges,
  loadFaults,
  loadLab,
  loadNotifications,
  loadPlugins,
  loadSession,
  loadTenants,
  loadUpdateOffer,
} from './control-client.ts';

/** Loads what is shown of these again. */
export const loadAgain = (client: QueryClient, ...queries: { queryKey: readonly unknown[] }[]) =>
  Promise.all(queries.map(({ queryKey }) => client.invalidateQueries({ queryKey })));

export const tenantsQuery = queryOptions({ queryKey: ['tenants'], queryFn: loadTenants });

/**
 * Data is null when nobody is signed in. Loaded again when the window gets the focus, because another
 * tab shares the cookie and may have changed the person.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ client }) => {
    const session = await loadSession();
    const before = client.getQueryData<Session | null>(['session']);
    if (before?.user.userId !== session?.user.userId) forgetPersonalData(client);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: 'always',
});

/** One person's data is never shown to the next. */
function forgetPersonalData(client: QueryClient) {
  const personal = [pluginsQuery, exchangesQuery, notificationsQuery, labQuery, faultsQuery];
  for (const { queryKey } of personal) client.removeQueries({ queryKey });
}

/** Counts of valid tokens change with the clock, so this query is also polled. */
export const pluginsQuery = queryOptions({
  queryKey: ['plugins'],
  queryFn: loadPlugins,
  refetchInterval: 15_000,
});

/** A part of {@link pluginsQuery}, so it is loaded again together with the list. Polled, because no event reports a changed file. */
export const updateOfferQuery = (pluginId: string) =>
  queryOptions({
    queryKey: [...pluginsQuery.queryKey, pluginId, 'update'],
    queryFn: () => loadUpdateOffer(pluginId),
    refetchInterval: 3_000,
  });

/** Polled while it runs. */
export const examinationQuery = (pluginId: string) =>
  queryOptions({
    queryKey: ['examination', pluginId],
    queryFn: () => loadExamination(pluginId),
    refetchInterval: ({ state }) => (state.data?.isRunning ? 500 : false),
  });

export const exchangesQuery = queryOptions({ queryKey: ['exchanges'], queryFn: loadExchanges });

/** A part of {@link exchangesQuery}, so it is loaded again together with the list. */
export const exchangeQuery = (id: string, options: { reveals: boolean }) =>
  queryOptions({
    queryKey: [...exchangesQuery.queryKey, id, options],
    queryFn: () => loadExchange(id, options),
  });

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: loadNotifications,
});

export const labQuery = queryOptions({ queryKey: ['lab'], queryFn: loadLab });

export const faultsQuery = queryOptions({ queryKey: ['faults'], queryFn: loadFaults });
