import { Stack } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../api/api-failure.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';

const retryMs = 5_000;

export interface PageFailureProps extends Pick<ErrorComponentProps, 'error'> {
  /** Loads the code of the page. Default: it is loaded. */
  load?: () => Promise<void>;
}

/**
 * Shown in the place of a page that failed. The frame around it stays. If Dowel could not be reached, the page is
 * loaded again until it can; an error of the page itself would only repeat.
 */
export function PageFailure({ error, load = async () => {} }: PageFailureProps) {
  const { t } = useTranslation();
  usePageTitle(t('shell.notAvailable'));
  const router = useRouter();
  const isUnreachable = error instanceof ApiFailure && error.code === 'UNREACHABLE';
  useEffect(() => {
    if (!isUnreachable) return;
    const retrying = setInterval(retry, retryMs);
    return () => clearInterval(retrying);
  });

  /** The alert stays until the page can be shown: a new one every few seconds would be read aloud each time. */
  function retry(): void {
    load().then(
      () => router.invalidate(),
      () => {},
    );
  }

  return (
    <Stack>
      <h1 className="page-title">{t('shell.notAvailable')}</h1>
      <QueryFailure
        title={t(isUnreachable ? 'shell.pageNotLoaded' : 'shell.pageFailed')}
        error={error}
        onRetry={retry}
      />
    </Stack>
  );
}
