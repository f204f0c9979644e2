import type { LiveState } from '../api/live-changes.ts';
import classes from './live-indicator.module.css';

const words: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting…',
  connected: 'Live',
  reconnecting: 'Reconnecting…',
};

/** Whether changes reach this page by themselves. */
export function LiveIndicator({ state }: { state: LiveState }) {
  return (
    <div role="status" className={classes.indicator} data-state={state}>
      <span className={classes.dot} aria-hidden="true" />
      {words[state]}
    </div>
  );
}
