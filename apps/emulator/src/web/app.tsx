import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionQuery } from './control-queries.ts';
import { ErrorAlert } from './error-alert.tsx';
import { HostPages } from './host-pages.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { useSharedSession } from './use-shared-session.ts';

/** The sign-in page, or the platform's pages for the person who is signed in. */
export function App() {
  const { t, i18n } = useTranslation();
  const session = useQuery(sessionQuery);
  useSharedSession(session.data === null ? null : session.data?.user.userId);
  // Screen readers and the browser's hyphenation follow it.
  useEffect(() => {
    document.documentElement.lang = i18n.language;
  }, [i18n.language]);

  if (session.data) return <HostPages key={session.data.user.userId} session={session.data} />;
  if (session.isPending) return <FullPage>{<Loader aria-label={t('shell.loading')} />}</FullPage>;
  if (session.data === null) return <SignInPage />;
  return (
    <FullPage>
      <ErrorAlert
        title={t('shell.unreachable')}
        error={session.error}
        onRetry={() => void session.refetch()}
      />
    </FullPage>
  );
}

function FullPage({ children }: { children: React.ReactNode }) {
  return (
    <Center component="main" mih="100dvh" p="md">
      {children}
    </Center>
  );
}
