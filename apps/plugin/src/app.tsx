import { useEffect, useRef } from 'react';
import { Greeting } from './greeting.tsx';
import { NotificationForm } from './notification-form.tsx';
import { ProblemMessage } from './problem-message.tsx';
import { textsFor } from './texts.ts';
import { usePlugin } from './use-plugin.ts';

/** The whole page: who you are, then the form, or what went wrong. */
export function App() {
  const { plugin, retry } = usePlugin();
  const { connection, session, error } = plugin;
  const page = useRef<HTMLElement>(null);
  const texts = textsFor(connection?.claims.ctx.userLanguage ?? navigator.language);

  useEffect(() => {
    document.documentElement.lang = texts.language;
  }, [texts]);

  useEffect(
    () => (page.current && connection ? connection.observeHeight(page.current) : undefined),
    [connection],
  );

  return (
    <main ref={page} aria-label="Nudge">
      {connection && <Greeting user={connection.claims.ctx} texts={texts} />}
      {error !== undefined && (
        <ProblemMessage
          error={error}
          texts={texts}
          title={connection ? 'h2' : 'h1'}
          onRetry={retry}
        />
      )}
      {error === undefined && session === undefined && (
        <p role="status" className="waiting">
          {connection ? texts.openingSession : texts.connecting}
        </p>
      )}
      {session && <NotificationForm session={session} texts={texts} />}
    </main>
  );
}
