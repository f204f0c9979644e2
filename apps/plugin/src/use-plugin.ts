/** The page's start: meet the platform, then open a session; each retry starts from the beginning. */
import type { Connection } from '@dowel/adapter';
import { useEffect, useState } from 'react';
import { connectToPlatform } from './connect-to-platform.ts';
import { openSession, type PluginSession } from './plugin-session.ts';

export interface Plugin {
  connection?: Connection;
  session?: PluginSession;
  error?: unknown;
}

export function usePlugin(): { plugin: Plugin; retry: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [plugin, setPlugin] = useState<Plugin>({});

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let connection: Connection | undefined;

    async function start(): Promise<void> {
      connection = await connectToPlatform(signal);
      if (signal.aborted) return connection.close();
      setPlugin({ connection });
      const session = await openSession(connection, { signal, reconnect: connectToPlatform });
      if (!signal.aborted) setPlugin({ connection, session });
    }

    setPlugin({});
    start().catch((error: unknown) => {
      if (!signal.aborted) setPlugin((before) => ({ ...before, error }));
    });
    return () => {
      abort.abort();
      connection?.close();
    };
  }, [attempt]);

  return { plugin, retry: () => setAttempt((before) => before + 1) };
}
