/**
 * Hears what other processes publish, on a connection of its own, which comes back by itself. What was
 * published while it was away is not repeated: then `onGap` tells, and whoever waits polls besides.
 */
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
  /** Messages may have been missed. When it fails, the connection is made anew. */
  onGap(): Promise<void>;
}

/** Resolves once it listens. Returns the way to stop. */
export async function listen(
  { name, client: config }: PostgresSettings,
  { onMessage, onGap }: ListenerEvents,
): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...config, application_name: 'dowel listener' });
    client.on('error', () => {});
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      return client;
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  /** Resolves when the connection is lost, which a half-open one shows only when it is asked. */
  async function untilLost(client: pg.Client): Promise<void> {
    if (signal.aborted) return;
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    const heartbeat = setInterval(() => {
      client.query('select 1').catch(() => client.end().catch(() => {}));
    }, heartbeatMs).unref();
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([ended, stopped]);
    clearInterval(heartbeat);
  }

  async function reconnect(): Promise<pg.Client | undefined> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(
        () => {},
      );
      if (signal.aborted) return undefined;
      const client = await connect().catch(() => undefined);
      if (!client) continue;
      if (await catchUp()) return client;
      void client.end().catch(() => {});
    }
  }

  const catchUp = () =>
    onGap().then(
      () => true,
      () => false,
    );

  async function keep(first: pg.Client): Promise<void> {
    let client: pg.Client | undefined = first;
    while (client) {
      await untilLost(client);
      void client.end().catch(() => {});
      if (signal.aborted) return;
      client = await reconnect();
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
