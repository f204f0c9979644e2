import { explainReason, type InstallationSummary } from '@dowel/schema';
import { Code } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { HttpStatusBadge } from '../shared/http-status-badge.tsx';
import { ReasonCode } from '../shared/reason-code.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { StatusBadge } from '../shared/status-badge.tsx';
import { readableIssuer, shortId } from '../shared/tenant-name.ts';
import { TokenCountdown } from '../shared/token-countdown.tsx';
import classes from './installation-table.module.css';

export function InstallationRow({ installation }: { installation: InstallationSummary }) {
  const { id, issuer, tenantId, grantedScopes } = installation;
  return (
    <tr>
      <td>
        <Link to="/installations/$id" params={{ id }} className={classes.link}>
          <span className="breakable">{readableIssuer(issuer)}</span>{' '}
          <span className={`mono ${classes.id}`}>{shortId(tenantId)}</span>
        </Link>
      </td>
      <td>
        <StatusBadge status={installation.status} />
      </td>
      <td data-label="Scopes" data-empty={grantedScopes.length === 0 || undefined}>
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
      <td data-label="Last event" data-empty={installation.lastEvent === null || undefined}>
        <LastEvent event={installation.lastEvent} />
      </td>
      <td data-label="Last error" data-empty={installation.lastError === null || undefined}>
        <LastError error={installation.lastError} />
      </td>
    </tr>
  );
}

function LastEvent({ event }: { event: InstallationSummary['lastEvent'] }) {
  if (!event) return <span className="dimmed">None</span>;
  return (
    <div>
      <span className="mono">{event.event}</span>
      <div className={classes.event}>
        <HttpStatusBadge status={event.status} />
        <span className={classes.when}>
          <RelativeTime at={event.receivedAt} />
        </span>
      </div>
    </div>
  );
}

function LastError({ error }: { error: InstallationSummary['lastError'] }) {
  if (!error) return <span className="dimmed">None</span>;
  return (
    <div title={explainReason(error.reason)?.sentence}>
      <ReasonCode reason={error.reason} />
      <div className={classes.when}>
        <RelativeTime at={error.at} />
      </div>
    </div>
  );
}
