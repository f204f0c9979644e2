import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import type { FleetRows } from '../api/fleet-rows.ts';
import { listKey } from '../api/queries.ts';

export const shownCount = 6;

/** The ids of those that have been broken longest. */
export const longestQuery = (api: ApiClient, rows: FleetRows) =>
  queryOptions({
    queryKey: [...listKey, 'longest'] as const,
    queryFn: async ({ signal }) => {
      const ask = () => api.installations({ group: 'broken', limit: shownCount }, signal);
      const { installations, now, receivedAt } = await rows.load(ask);
      return { now, receivedAt, ids: installations.map(({ id }) => id) };
    },
  });
