import type { TokenOperation } from '@dowel/schema';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import { formatDuration } from '../shared/format-time.ts';
import { ReasonText } from '../shared/reason-text.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { ToneBadge } from '../shared/tone-badge.tsx';
import { DurationChart } from './duration-chart.tsx';
import classes from './refresh-history.module.css';

const sentences: Readonly<Record<TokenOperation['operation'], string>> = {
  exchange: 'Authorization code exchanged',
  refresh: 'Refresh token used',
  trigger: 'New access_token event requested',
};

/** How each access token was obtained, newest first. */
export function RefreshHistory({ operations }: { operations: TokenOperation[] }) {
  if (operations.length === 0) {
    return <p className={classes.none}>No access token was requested yet.</p>;
  }
  return (
    <>
      <DurationChart operations={operations} />
      <ul className={`reset-list ${classes.list}`} aria-label="Refresh history">
        {operations.map((operation) => (
          <Operation key={operation.id} operation={operation} />
        ))}
      </ul>
    </>
  );
}

function Operation({ operation }: { operation: TokenOperation }) {
  const { succeeded, tokenVersion, reason } = operation;
  return (
    <li className={classes.operation}>
      <div className={classes.what}>
        <div className={classes.name}>
          {operation.operation}
          {succeeded ? (
            <ToneBadge tone="ok" icon={CircleCheck}>
              Succeeded
            </ToneBadge>
          ) : (
            <ToneBadge tone="bad" icon={CircleX}>
              Failed
            </ToneBadge>
          )}
        </div>
        <div className="breakable">
          {reason === null ? sentences[operation.operation] : <ReasonText reason={reason} />}
          {tokenVersion === null ? null : `, version ${tokenVersion}`}
        </div>
      </div>
      <div className={classes.when}>
        <div className={classes.duration}>{formatDuration(operation.durationMs)}</div>
        <RelativeTime at={operation.startedAt} />
      </div>
    </li>
  );
}
