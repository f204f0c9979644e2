import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './plain-page.module.css';

/** Shown when the session cannot be loaded. */
export function StartFailurePage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  usePageTitle(t('shell.notAvailable'));
  const router = useRouter();

  function retry(): void {
    reset();
    void router.invalidate();
  }

  return (
    <main className={classes.page}>
      <h1>Dowel</h1>
      <QueryFailure title={t('shell.startFailed')} error={error} onRetry={retry} />
    </main>
  );
}
