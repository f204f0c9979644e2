import type { OperatorRole } from '@dowel/admin-api';
import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';
import { sessionQuery } from './queries.ts';

/** The reader's role; undefined until it is known. */
export function useRole(): OperatorRole | undefined {
  return useQuery(sessionQuery(useApi())).data?.role;
}
