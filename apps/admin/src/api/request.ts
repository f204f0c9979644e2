/** Requests to the BFF: same origin, cookie session. Each fails with an {@link ApiFailure}. */
import { undoneActionSchema } from '@dowel/admin-api';
import { apiErrorSchema } from '@dowel/schema';
import type { ZodType } from 'zod';
import { basePath } from '../base-path.ts';
import { ApiFailure } from './api-failure.ts';

export const apiPath = `${basePath}api`;
const lineFeed = 10;

export interface RequestContext {
  fetch: typeof globalThis.fetch;
  /** Whether a person is active. Requests without a person do not extend the session. */
  isPersonThere: () => boolean;
  /** This browser's clock. */
  now: () => number;
}

/** An answer with the server's clock, and this browser's clock when it arrived. */
export type Timed<T> = T & { receivedAt: number };

export async function get<T>(
  context: RequestContext,
  path: string,
  schema: ZodType<T>,
  signal?: AbortSignal,
): Promise<T> {
  const headers: HeadersInit = context.isPersonThere() ? {} : { 'X-Dowel-Background': '1' };
  return readBody(await send(context, path, { headers, signal: signal ?? null }), schema);
}

export async function getTimed<T extends { now: number }>(
  context: RequestContext,
  path: string,
  schema: ZodType<T>,
  signal?: AbortSignal,
): Promise<Timed<T>> {
  const answer = await get(context, path, schema, signal);
  return { ...answer, receivedAt: context.now() };
}

export interface FileOptions {
  signal: AbortSignal;
  /** Called with the number of lines that have arrived. */
  onLines: (count: number) => void;
}

/** Reads an answer of many lines to its end. @returns the file, and the name that the server gives it. */
export async function getFile(
  context: RequestContext,
  path: string,
  { signal, onLines }: FileOptions,
): Promise<{ name: string; content: Blob }> {
  const { headers, body } = await send(context, path, { signal });
  const [, name = ''] = /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '') ?? [];
  let lines = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      for (const byte of chunk) if (byte === lineFeed) lines += 1;
      onLines(lines);
      out.enqueue(chunk);
    },
  });
  try {
    return { name, content: await new Response(body?.pipeThrough(counter)).blob() };
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ApiFailure('UNREACHABLE', 0, 'The connection broke off', { cause });
  }
}

/** Pages of other origins cannot send this header. */
export function change(
  context: RequestContext,
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Response> {
  const headers = { 'X-Dowel-CSRF': '1', 'Content-Type': 'application/json' };
  return send(context, path, { method, headers, body: body ? JSON.stringify(body) : null });
}

async function send({ fetch }: RequestContext, path: string, init: RequestInit): Promise<Response> {
  const url = `${apiPath}${path}`;
  const answer = fetch(url, { ...init, redirect: 'error' });
  const response = await answer.catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    return failUnreachable(cause);
  });
  if (!response.ok) throw await readFailure(response);
  return response;
}

export function toParameters(query: object): URLSearchParams {
  const present = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(present.map(([name, value]) => [name, String(value)]));
}

function failUnreachable(cause: unknown): never {
  throw new ApiFailure('UNREACHABLE', 0, 'Dowel does not answer. Is it running?', { cause });
}

export async function readBody<T>(response: Response, schema: ZodType<T>): Promise<T> {
  // The answer may break off.
  const text = await response.text().catch(failUnreachable);
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const message = 'Dowel gave an answer that this page does not understand. Load the page again.';
    throw new ApiFailure('ANSWER_INVALID', response.status, message, {
      cause,
      requestId: requestIdOf(response),
    });
  }
}

async function readFailure(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => null);
  const undone = undoneActionSchema.safeParse(body).data;
  const parsed = apiErrorSchema.safeParse(body);
  const requestId = requestIdOf(response);
  if (parsed.success) {
    const { code, message } = parsed.data;
    return new ApiFailure(code, response.status, message, { undone, requestId });
  }
  const message = `Dowel answered ${response.status}.`;
  return new ApiFailure('ANSWER_INVALID', response.status, message, { requestId });
}

function requestIdOf(response: Response): string | null {
  return response.headers.get('X-Request-Id');
}
