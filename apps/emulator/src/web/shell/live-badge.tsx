import type { LiveState } from '../live-changes.ts';

const words: Record<LiveState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  interrupted: 'Reconnecting',
};

/** Shows whether this page receives changes. */
export function LiveBadge({ state }: { state: LiveState }) {
  return (
    <span className="live-badge" data-state={state} role="status">
      <span className="live-badge-dot" aria-hidden="true" />
      <span className="live-badge-word">{words[state]}</span>
    </span>
  );
}
