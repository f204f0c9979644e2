import type { InstallationSummary } from '@dowel/schema';
import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { attentionCause, attentionSentences } from '../shared/attention.ts';
import { tenantName } from '../shared/tenant-name.ts';
import classes from './installations-page.module.css';

const shownCount = 3;

/** Names the first few installations that need attention; silent when there are none. */
export function AttentionAlert({ installations }: { installations: InstallationSummary[] }) {
  const needing = installations.flatMap((installation) => {
    const cause = attentionCause(installation);
    return cause ? [{ installation, sentence: attentionSentences[cause] }] : [];
  });
  if (needing.length === 0) return null;
  const restCount = needing.length - shownCount;

  return (
    <Alert
      classNames={{ root: classes.alert ?? '', message: 'alert-text' }}
      title={
        needing.length === 1
          ? 'One installation needs attention'
          : `${needing.length} installations need attention`
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
            <Link to="/" search={{ filter: 'attention' }}>
              {restCount === 1 ? 'Show 1 more' : `Show ${restCount} more`}
            </Link>
          </li>
        ) : null}
      </ul>
    </Alert>
  );
}
