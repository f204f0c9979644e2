import type { InstallationSummary } from '@dowel/schema';
import { needsAttention } from '../shared/attention.ts';
import { useServerNow } from '../shared/ticker.tsx';
import { describeExpiry } from '../shared/token-expiry.ts';
import classes from './installations-page.module.css';

const dayMs = 24 * 60 * 60 * 1000;

export function InstallationFigures({ installations }: { installations: InstallationSummary[] }) {
  const now = useServerNow();
  const present = installations.filter(({ status }) => status !== 'uninstalled');
  const valid = present.filter((each) => {
    const { state } = describeExpiry(each, now);
    return state === 'valid' || state === 'unknown';
  });
  const attention = present.filter(needsAttention);
  const failed = installations.filter(({ lastError }) => lastError && lastError.at > now - dayMs);

  return (
    <dl className={classes.figures}>
      <Figure name="Installations" value={present.length} note={countTenants(present)} />
      <Figure name="Valid access tokens" value={valid.length} note={`of ${present.length}`} />
      <Figure
        name="Need attention"
        value={attention.length}
        note="pending, awaiting or failing"
        isBad={attention.length > 0}
      />
      <Figure name="Recent failures" value={failed.length} note="with an error in the last 24 h" />
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: number;
  note: string;
  isBad?: boolean;
}

function Figure({ name, value, note, isBad = false }: FigureProps) {
  return (
    <div className={`card ${classes.figure}`}>
      <dt>{name}</dt>
      <dd className={classes.value} data-tone={isBad ? 'bad' : undefined}>
        {value}
      </dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

function countTenants(installations: InstallationSummary[]): string {
  const tenants = new Set(installations.map(({ issuer, tenantId }) => `${issuer} ${tenantId}`));
  return tenants.size === 1 ? 'in 1 tenant' : `in ${tenants.size} tenants`;
}
