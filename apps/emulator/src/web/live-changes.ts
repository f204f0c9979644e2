/**
 * Server-sent events of `/control/changes`. They name what to load again and contain no data. The stream
 * reconnects by itself. After each gap everything is loaded again, because events are not replayed.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  exchangesQuery,
  faultsQuery,
  notificationsQuery,
  pluginsQuery,
  sessionQuery,
} from './control-queries.ts';

export type LiveState = 'connecting' | 'live' | 'interrupted';

const reopenAfterMs = 3_000;

export function useLiveChanges(): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');

  useEffect(
    () =>
      followChanges({
        onState: setState,
        onChange: (queryKeys) => {
          for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey });
        },
      }),
    [client],
  );
  return state;
}

type QueryKey = readonly unknown[];

interface ChangeListener {
  onState: (state: LiveState) => void;
  onChange: (queryKeys: QueryKey[]) => void;
}

function followChanges({ onState, onChange }: ChangeListener): () => void {
  let source: EventSource;
  let reopening: ReturnType<typeof setTimeout> | undefined;

  const open = () => {
    source = new EventSource('/control/changes');
    source.addEventListener('open', () => {
      onState('live');
      onChange([
        pluginsQuery.queryKey,
        exchangesQuery.queryKey,
        faultsQuery.queryKey,
        notificationsQuery.queryKey,
      ]);
    });
    source.addEventListener('plugins', () => onChange([pluginsQuery.queryKey]));
    // A request may have met a fault, which counts its hits.
    source.addEventListener('exchanges', () =>
      onChange([exchangesQuery.queryKey, faultsQuery.queryKey]),
    );
    source.addEventListener('faults', () => onChange([faultsQuery.queryKey]));
    source.addEventListener('notifications', () => onChange([notificationsQuery.queryKey]));
    source.addEventListener('error', () => {
      onState('interrupted');
      // The browser gives up after an answer other than 200: the session may have ended.
      if (source.readyState !== EventSource.CLOSED) return;
      onChange([sessionQuery.queryKey]);
      reopening = setTimeout(open, reopenAfterMs);
    });
  };

  open();
  return () => {
    clearTimeout(reopening);
    source.close();
  };
}
