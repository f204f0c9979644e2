import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';

const retryMs = 5_000;

/** Shown in the place of a page whose code cannot be loaded, or which failed. The frame around it stays. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  usePageTitle(t('shell.notAvailable'));
  const router = useRouter();
  useEffect(() => {
    const retrying = setTimeout(retry, retryMs);
    return () => clearTimeout(retrying);
  });

  function retry(): void {
    reset();
    void router.invalidate();
  }

  return <QueryFailure title={t('shell.pageFailed')} error={error} onRetry={retry} />;
}
