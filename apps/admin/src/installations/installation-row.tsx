import type { InstallationSummary } from '@dowel/schema';
import { Code } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { HttpStatusBadge } from '../shared/http-status-badge.tsx';
import { explainReason } from '../shared/reasons.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { StatusBadge } from '../shared/status-badge.tsx';
import { readableIssuer, shortId } from '../shared/tenant-name.ts';
import { TokenCountdown } from '../shared/token-countdown.tsx';
import classes from './installation-table.module.css';

export function InstallationRow({ installation }: { installation: InstallationSummary }) {
  const { id, issuer, tenantId, grantedScopes } = installation;
  return (
    <tr>
      <td className={classes.tenant}>
        <Link to="/installations/$id" params={{ id }} className={classes.link}>
          <span className="breakable">{readableIssuer(issuer)}</span>{' '}
          <span className={`mono ${classes.id}`}>{shortId(tenantId)}</span>
        </Link>
      </td>
      <td data-label="Status">
        <StatusBadge status={installation.status} />
      </td>
      <td data-label="Scopes">
        {grantedScopes.length === 0 ? <span className="dimmed">None</span> : null}
        {grantedScopes.map((scope) => (
          <div key={scope}>
            <Code>{scope}</Code>
          </div>
        ))}
      </td>
      <td data-label="Access token">
        <TokenCountdown installation={installation} />
      </td>
      <td data-label="Last event">
        <LastEvent event={installation.lastEvent} />
      </td>
      <td data-label="Last error">
        <LastError error={installation.lastError} />
      </td>
    </tr>
  );
}

function LastEvent({ event }: { event: InstallationSummary['lastEvent'] }) {
  if (!event) return <span className="dimmed">None</span>;
  return (
    <div>
      <div className={classes.event}>
        <span className="mono">{event.event}</span>
        <HttpStatusBadge status={event.status} />
      </div>
      <div className={classes.sub}>
        <RelativeTime at={event.receivedAt} />
      </div>
    </div>
  );
}

function LastError({ error }: { error: InstallationSummary['lastError'] }) {
  if (!error) return <span className="dimmed">None</span>;
  return (
    <div title={explainReason(error.reason)}>
      <Code className="breakable">{error.reason}</Code>
      <div className={classes.sub}>
        <RelativeTime at={error.at} />
      </div>
    </div>
  );
}
