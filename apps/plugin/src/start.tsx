import type { Adapter } from '@dowel/adapter';
import { PluginProvider } from '@dowel/adapter/react';
import { useEffect, useState } from 'react';
import { App } from './app.tsx';
import { loadAdapter, type View } from './load-adapter.ts';
import { ProblemMessage } from './problem-message.tsx';
import type { Settings } from './settings.ts';
import { useTexts } from './use-texts.ts';

interface Loaded {
  adapter?: Adapter<Settings>;
  error?: unknown;
}

/** Loads the adapter's configuration, then starts the adapter. */
export function Start({ view }: { view: View }) {
  const [attempt, setAttempt] = useState(0);
  const [{ adapter, error }, setLoaded] = useState<Loaded>({});
  const texts = useTexts();

  useEffect(() => {
    let isCurrent = true;
    setLoaded({});
    const loading = loadAdapter(view);
    loading.then(
      (adapter) => isCurrent && setLoaded({ adapter }),
      (error: unknown) => isCurrent && setLoaded({ error }),
    );
    return () => {
      isCurrent = false;
      loading.then((adapter) => adapter.destroy()).catch(() => {}); // told above
    };
  }, [view, attempt]);

  if (adapter) {
    return (
      <PluginProvider adapter={adapter}>
        <App />
      </PluginProvider>
    );
  }
  return (
    <main aria-label={texts.name}>
      {error === undefined ? (
        <p role="status" className="waiting">
          {texts.connecting}
        </p>
      ) : (
        <ProblemMessage
          error={error}
          texts={texts}
          title="h1"
          onRetry={() => setAttempt(attempt + 1)}
        />
      )}
    </main>
  );
}
