import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { applyChanges, createRowReloader, reloadShown } from '../api/apply-changes.ts';
import { useFleetRows } from '../api/fleet-rows.ts';
import { type ChangeSource, type LiveStatus, watchChanges } from '../api/live-changes.ts';
import { sessionKey, sessionQuery } from '../api/queries.ts';

/** While many installations change, the page reloads the shown rows at this interval. */
const partialMs = 2_000;
/** Rows that scroll into view together are fetched together. */
const scrollMs = 100;

/** Keeps the page's data fresh while the shell is shown. */
export function useLiveChanges(open: ((url: string) => ChangeSource) | undefined): LiveStatus {
  const api = useApi();
  const queryClient = useQueryClient();
  const rows = useFleetRows();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting' });
  // Observed, so that invalidating the session query loads it again.
  useQuery(sessionQuery(api));

  useEffect(() => {
    const reloader = createRowReloader({ api, rows });
    const shown = { queryClient, reloadRows: reloader.reload };
    let reloading: ReturnType<typeof setTimeout> | undefined;
    const reloadSoon = () => {
      reloading ??= setTimeout(() => {
        reloading = undefined;
        void reloadShown(shown);
      }, partialMs);
    };
    let fetching: ReturnType<typeof setTimeout> | undefined;
    rows.onUnsureInView = () => {
      clearTimeout(fetching);
      fetching = setTimeout(() => void reloader.reload(), scrollMs);
    };
    const stopWatching = watchChanges({
      onStatus: setStatus,
      onChanged(changes) {
        applyChanges({ queryClient, rows }, changes);
        if (changes.isPartial) reloadSoon();
      },
      onGap(isStart) {
        // What was loaded a moment ago is no old list.
        if (isStart) rows.doubt();
        else rows.noteGap();
        void reloadShown(shown);
      },
      onRefused: () => void queryClient.invalidateQueries({ queryKey: sessionKey }),
      open,
    });
    return () => {
      clearTimeout(reloading);
      clearTimeout(fetching);
      reloader.stop();
      stopWatching();
    };
  }, [api, queryClient, rows, open]);
  return status;
}
