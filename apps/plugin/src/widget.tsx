import type { MainInit } from '@dowel/adapter';
import { useSession } from '@dowel/adapter/react';
import { Greeting } from './greeting.tsx';
import { NotificationForm } from './notification-form.tsx';
import { ProblemMessage } from './problem-message.tsx';
import type { Settings } from './settings.ts';
import type { Texts } from './texts.ts';

export interface WidgetProps {
  init: MainInit<Settings>;
  texts: Texts;
}

/** The main view: the greeting, and the form when the session is open. */
export function Widget({ init: { claims, config }, texts }: WidgetProps) {
  const session = useSession();
  return (
    <>
      <Greeting user={claims.ctx} texts={texts} />
      {config.intro && <p>{config.intro}</p>}
      {session.status === 'loading' && (
        <p role="status" className="waiting">
          {texts.openingSession}
        </p>
      )}
      {session.status === 'failed' && (
        <ProblemMessage error={session.error} texts={texts} title="h2" onRetry={session.retry} />
      )}
      {session.status === 'ready' && (
        <NotificationForm recipientEmail={config.recipientEmail} texts={texts} />
      )}
    </>
  );
}
