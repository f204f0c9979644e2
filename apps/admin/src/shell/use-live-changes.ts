import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { applyChanges } from '../api/apply-changes.ts';
import { useFleetRows } from '../api/fleet-rows.ts';
import { type ChangeSource, type LiveStatus, watchChanges } from '../api/live-changes.ts';
import { sessionKey, sessionQuery } from '../api/queries.ts';

/** Keeps the page's data fresh while the shell is shown. */
export function useLiveChanges(open: ((url: string) => ChangeSource) | undefined): LiveStatus {
  const api = useApi();
  const queryClient = useQueryClient();
  const rows = useFleetRows();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting' });
  // Observed, so that invalidating the session query loads it again.
  useQuery(sessionQuery(api));

  useEffect(
    () =>
      watchChanges({
        onStatus: setStatus,
        onChanged: (ids) => applyChanges({ api, queryClient, rows }, ids),
        onResumed: () => void applyChanges({ api, queryClient, rows }, rows.watchedIds()),
        onRefused: () => void queryClient.invalidateQueries({ queryKey: sessionKey }),
        open,
      }),
    [api, queryClient, rows, open],
  );
  return status;
}
