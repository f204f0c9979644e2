import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';
import { fleetQuery } from './queries.ts';

/** The counts of all installations; undefined until they are known. */
export function useFleet() {
  return useQuery(fleetQuery(useApi())).data;
}
