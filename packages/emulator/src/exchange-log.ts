/** The record of every HTTP request in and out of the platform, with its secrets. Only its views leave the platform. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { z } from 'zod';
import { createBoundedLog } from './bounded-log.ts';
import { type Exchange, type ExchangeKind, exchangeSchema } from './exchange-schema.ts';
import { maskHeaders, maskJson, maskSecrets } from './mask-secrets.ts';

/** Of a body. */
const keptCharacters = 16 * 1024;
const maxWaitMs = 60_000;

export const exchangeRecordSchema = exchangeSchema.omit({ jwt: true });

export type ExchangeRecord = z.infer<typeof exchangeRecordSchema>;

export type ExchangeStart = Pick<
  ExchangeRecord,
  'at' | 'direction' | 'kind' | 'tenantId' | 'pluginId' | 'method' | 'url' | 'headers' | 'body'
> &
  Partial<Pick<ExchangeRecord, 'event' | 'fault'>>;

export type ExchangeEnd = Pick<ExchangeRecord, 'answeredAt' | 'status' | 'error' | 'answer'>;

export interface ExchangeFilter {
  tenantId?: string | undefined;
  pluginId?: string | undefined;
  kind?: ExchangeKind | undefined;
}

export interface ExchangeLog {
  /** Adds a request without an answer. */
  begin(start: ExchangeStart): ExchangeRecord;
  /** Adds its answer. */
  end(record: ExchangeRecord, end: ExchangeEnd): void;
  /** Oldest first. */
  find(filter: ExchangeFilter): ExchangeRecord[];
  /** Resolves when the next such request is over, after at most a minute, or when the platform closes. */
  next(filter: ExchangeFilter & Pick<Partial<ExchangeRecord>, 'event'>): Promise<unknown>;
}

/** Keeps the newest 200 of each kind and tenant in `records`, oldest first. */
export function createExchangeLog(
  records: ExchangeRecord[],
  { onEnd, closed }: { onEnd: (record: ExchangeRecord) => void; closed: AbortSignal },
): ExchangeLog {
  const waiters = new Set<(record: ExchangeRecord) => unknown>();
  const log = createBoundedLog<Omit<ExchangeRecord, 'id'>>(
    records,
    ({ tenantId, kind }) => `${tenantId} ${kind}`,
  );
  return {
    begin: (start) =>
      log.add({
        event: null,
        fault: null,
        ...start,
        body: keptOf(start.body),
        answeredAt: null,
        status: null,
        error: null,
        answer: null,
      }),
    end(record, { answer, ...end }) {
      const kept = answer && { ...answer, body: keptOf(answer.body) };
      Object.assign(record, end, { answer: kept });
      onEnd(record);
      for (const waiter of waiters) waiter(record);
    },
    find: (filter) => records.filter((record) => fits(record, filter)),
    async next(filter) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = (record: ExchangeRecord) => fits(record, filter) && resolve();
      waiters.add(waiter);
      const limit = sleep(maxWaitMs, undefined, { ref: false, signal: closed });
      await Promise.race([promise, limit.catch(() => undefined)]);
      waiters.delete(waiter);
    },
  };
}

/** A part of a secret would not be recognized, so the cut is before the last word. */
function keptOf(body: string): string {
  if (body.length <= keptCharacters) return body;
  return body.slice(0, keptCharacters).replace(/[\w-]{1,64}$/, '');
}

function fits(record: ExchangeRecord, filter: Partial<ExchangeRecord> | ExchangeFilter): boolean {
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || record[name as keyof ExchangeRecord] === value,
  );
}

/** A copy, with or without its secrets. */
export function viewExchange(record: ExchangeRecord, { reveal }: { reveal: boolean }): Exchange {
  const jwt = record.kind === 'event' ? decode(eventJwtOf(record)) : null;
  if (reveal) return { ...structuredClone(record), jwt };
  const { url, headers, body, answer, error } = record;
  return {
    ...record,
    url: maskUrl(url),
    headers: maskHeaders(headers),
    body: maskSecrets(body),
    answer: answer && { headers: maskHeaders(answer.headers), body: maskSecrets(answer.body) },
    error: error && { ...error, message: maskSecrets(error.message) },
    jwt: maskJson(jwt) as Exchange['jwt'],
  };
}

/** Also a user name and a password. */
function maskUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return maskSecrets(text);
  if (url.username !== '' || url.password !== '')
    Object.assign(url, { username: '', password: '' });
  return maskSecrets(url.href);
}

/** The JWT that was sent; empty if there is none. */
export function eventJwtOf({ headers, body }: Pick<ExchangeRecord, 'headers' | 'body'>): string {
  if (headers['content-type'] !== 'application/json') {
    return new URLSearchParams(body).get('token') ?? '';
  }
  return (JSON.parse(body) as { token: string }).token;
}

/** Null: a caller sent something else on purpose. */
function decode(eventJwt: string): Exchange['jwt'] {
  try {
    return { header: { ...decodeProtectedHeader(eventJwt) }, claims: decodeJwt(eventJwt) };
  } catch {
    return null;
  }
}
