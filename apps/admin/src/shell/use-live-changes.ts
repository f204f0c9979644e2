import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { type ChangeSource, type LiveStatus, watchChanges } from '../api/live-changes.ts';
import { sessionQuery } from '../api/queries.ts';

/** Keeps the page's data fresh while the shell is shown. */
export function useLiveChanges(open: ((url: string) => ChangeSource) | undefined): LiveStatus {
  const queryClient = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting' });
  // Observed, so that invalidating the session query loads it again.
  useQuery(sessionQuery(useApi()));

  useEffect(() => watchChanges({ queryClient, onStatus: setStatus, open }), [queryClient, open]);
  return status;
}
