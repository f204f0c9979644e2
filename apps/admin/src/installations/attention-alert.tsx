import type { InstallationSummary } from '@dowel/schema';
import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { attentionCause, attentionSentences } from '../shared/attention.ts';
import { formatCount, isCapped } from '../shared/format-count.ts';
import { tenantName } from '../shared/tenant-name.ts';
import classes from './installations-page.module.css';

const shownCount = 3;

export interface AttentionAlertProps {
  /** Installations that need attention may be among the missing ones. */
  installations: InstallationSummary[];
  /** Number of installations that need attention. */
  count: number;
}

/** Names the first few installations that need attention; silent when there are none. */
export function AttentionAlert({ installations, count }: AttentionAlertProps) {
  const needing = installations.flatMap((installation) => {
    const cause = attentionCause(installation);
    return cause ? [{ installation, sentence: attentionSentences[cause] }] : [];
  });
  if (needing.length === 0) return null;
  const restCount = count - shownCount;

  return (
    <Alert
      classNames={{ root: classes.alert ?? '', message: 'alert-text' }}
      title={
        count === 1
          ? 'One installation needs attention'
          : `${formatCount(count)} installations need attention`
      }
      icon={<TriangleAlert size={20} aria-hidden="true" />}
    >
      <ul className="reset-list">
        {needing.slice(0, shownCount).map(({ installation, sentence }) => (
          <li key={installation.id}>
            <Link to="/installations/$id" params={{ id: installation.id }}>
              {tenantName(installation)}
            </Link>
            : {sentence}
          </li>
        ))}
        {restCount > 0 ? (
          <li>
            <Link to="/installations" search={{ filter: 'attention' }}>
              {isCapped(count) ? 'Show all' : `Show ${restCount} more`}
            </Link>
          </li>
        ) : null}
      </ul>
    </Alert>
  );
}
