import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';
import { alertsQuery } from './queries.ts';

/** The number of open alerts; undefined until it is known. */
export function useOpenAlerts(): number | undefined {
  return useQuery(alertsQuery(useApi())).data?.open.length;
}
