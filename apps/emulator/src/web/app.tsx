import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './control-queries.ts';
import { ErrorAlert } from './error-alert.tsx';
import { HostPages } from './host-pages.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';

/** The sign-in page, or the platform's pages for the person who is signed in. */
export function App() {
  const session = useQuery(sessionQuery);

  if (session.data) return <HostPages key={session.data.user.userId} session={session.data} />;
  if (session.isPending) return <FullPage>{<Loader aria-label="Loading" />}</FullPage>;
  if (session.data === null) return <SignInPage />;
  return (
    <FullPage>
      <ErrorAlert
        title="The emulator cannot be reached"
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
