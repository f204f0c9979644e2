import { useTranslation } from 'react-i18next';
import type { LiveState } from '../live-changes.ts';

/** Shows whether this page receives changes. */
export function LiveBadge({ state }: { state: LiveState }) {
  const { t } = useTranslation();
  return (
    <span className="live-badge" data-state={state} role="status">
      <span className="live-badge-dot" aria-hidden="true" />
      <span className="live-badge-word">{t(`shell.${state}`)}</span>
    </span>
  );
}
