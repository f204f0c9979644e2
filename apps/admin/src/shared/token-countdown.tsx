import type { InstallationSummary } from '@dowel/schema';
import { formatRemaining } from './format-time.ts';
import { useServerNow } from './ticker.tsx';
import classes from './token-countdown.module.css';
import { describeExpiry } from './token-expiry.ts';

const headings = { none: 'No access token', unknown: 'Unknown expiry', expired: 'Expired' };

/** How long the access token lives, by the server's clock: in words, and as a bar. */
export function TokenCountdown({ installation }: { installation: InstallationSummary }) {
  const expiry = describeExpiry(installation, useServerNow());
  if (expiry.state !== 'valid') {
    return (
      <div className={classes.countdown} data-state={expiry.state}>
        <div className={classes.heading}>{headings[expiry.state]}</div>
        <div className={classes.detail}>{expiry.detail}</div>
      </div>
    );
  }
  const width = `${(expiry.remainingShare * 100).toFixed(1)}%`;
  return (
    <div className={classes.countdown} data-state={expiry.isLow ? 'low' : 'valid'}>
      <div className={classes.remaining}>{formatRemaining(expiry.remainingMs)}</div>
      <div className={classes.track} aria-hidden="true">
        <div className={classes.bar} style={{ width }} />
      </div>
    </div>
  );
}
