import type { InstallationSummary } from '@dowel/schema';
import { Alert } from '@mantine/core';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { attentionCause, attentionSentences } from '../shared/attention.ts';
import { ReasonText } from '../shared/reason-text.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { StatusBadge } from '../shared/status-badge.tsx';
import { readableIssuer, shortId } from '../shared/tenant-name.ts';
import classes from './installation-page.module.css';

/** The installation's tenant, its status and its last error. */
export function InstallationHeading({ installation }: { installation: InstallationSummary }) {
  const { issuer, tenantId, status, generation, lastError } = installation;
  const cause = attentionCause(installation);
  return (
    <>
      <div className={classes.heading}>
        <h1 className={classes.title}>
          <span className="breakable">{readableIssuer(issuer)}</span>{' '}
          <span className={`mono ${classes.titleId}`}>{shortId(tenantId)}</span>
        </h1>
        <StatusBadge status={status} />
        <span className={classes.generation}>Generation {generation}</span>
      </div>
      {cause ? (
        <Alert
          classNames={{ root: classes.alert ?? '', message: 'alert-text' }}
          title={attentionSentences[cause]}
          icon={<TriangleAlert size={20} aria-hidden="true" />}
        >
          {lastError ? (
            <>
              Last error, <RelativeTime at={lastError.at} />:{' '}
              <ReasonText reason={lastError.reason} />
            </>
          ) : null}
        </Alert>
      ) : null}
    </>
  );
}
