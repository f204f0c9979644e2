/**
 * Receives the changes that other processes publish, on a separate connection that is restored after a
 * loss. Changes published during a loss are not repeated: `onGap` is called, and waiting callers poll.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toStoreError } from './postgres-error.ts';
import type { PostgresSettings } from './postgres-pool.ts';

export const channel = 'dowel_changes';
const heartbeatMs = 15_000;
const firstPauseMs = 100;
const maxPauseMs = 5_000;

export interface ListenerEvents {
  onMessage(payload: string): void;
  /** Called when messages may have been missed. If it fails, the connection is opened again. */
  onGap(): Promise<void>;
}

interface Connection {
  /** Resolves when the connection is closed. */
  lost: Promise<void>;
  end(): void;
}

/** Resolves when it listens. Returns a function that stops it. */
export async function listen(
  { name, client: config }: PostgresSettings,
  { onMessage, onGap }: ListenerEvents,
): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = once(signal, 'abort');

  async function connect(): Promise<Connection> {
    const client = new pg.Client({ ...config, application_name: 'dowel listener' });
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    // Only a statement reveals a half-open connection.
    const heartbeat = setInterval(
      () => void client.query('select 1').catch(() => resolve()),
      heartbeatMs,
    );
    heartbeat.unref();
    return {
      lost,
      end() {
        clearInterval(heartbeat);
        void client.end().catch(() => {});
      },
    };
  }

  async function reconnect(): Promise<Connection | undefined> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const jittered = pauseMs * (0.5 + Math.random());
      await sleep(jittered, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return undefined;
      const connection = await connect().catch(() => undefined);
      if (!connection) continue;
      if (await isGapHandled()) return connection;
      connection.end();
    }
  }

  const isGapHandled = () =>
    onGap().then(
      () => true,
      () => false,
    );

  async function keep(first: Connection): Promise<void> {
    let connection: Connection | undefined = first;
    while (connection) {
      await Promise.race([connection.lost, stopped]);
      connection.end();
      if (signal.aborted) return;
      connection = await reconnect();
    }
  }

  const first = await connect().catch((error: unknown) => {
    throw toStoreError(error, name);
  });
  const kept = keep(first);
  return async () => {
    stopping.abort();
    await kept;
  };
}
