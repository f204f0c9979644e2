import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './plain-page.module.css';

/** Shown when the session cannot be loaded. */
export function StartFailurePage({ error, reset }: ErrorComponentProps) {
  usePageTitle('Not available');
  const router = useRouter();

  function retry(): void {
    reset();
    void router.invalidate();
  }

  return (
    <main className={classes.page}>
      <h1>Dowel</h1>
      <QueryFailure title="The dashboard cannot be loaded" error={toError(error)} onRetry={retry} />
    </main>
  );
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('Something failed without saying why.');
}
