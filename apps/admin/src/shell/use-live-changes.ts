import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { applyChanges, reloadShown } from '../api/apply-changes.ts';
import { useFleetRows } from '../api/fleet-rows.ts';
import { type ChangeSource, type LiveStatus, watchChanges } from '../api/live-changes.ts';
import { sessionKey, sessionQuery } from '../api/queries.ts';

/** While very much changes, the page fetches what it shows this often. */
const partialMs = 2_000;

/** Keeps the page's data fresh while the shell is shown. */
export function useLiveChanges(open: ((url: string) => ChangeSource) | undefined): LiveStatus {
  const api = useApi();
  const queryClient = useQueryClient();
  const rows = useFleetRows();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting' });
  // Observed, so that invalidating the session query loads it again.
  useQuery(sessionQuery(api));

  useEffect(() => {
    const targets = { api, queryClient, rows };
    let reloading: ReturnType<typeof setTimeout> | undefined;
    const reloadSoon = () => {
      reloading ??= setTimeout(() => {
        reloading = undefined;
        void reloadShown(targets);
      }, partialMs);
    };
    const stopWatching = watchChanges({
      onStatus: setStatus,
      onChanged(changes) {
        applyChanges(targets, changes);
        if (changes.isPartial) reloadSoon();
      },
      onGap: () => void reloadShown(targets),
      onRefused: () => void queryClient.invalidateQueries({ queryKey: sessionKey }),
      open,
    });
    return () => {
      clearTimeout(reloading);
      stopWatching();
    };
  }, [api, queryClient, rows, open]);
  return status;
}
