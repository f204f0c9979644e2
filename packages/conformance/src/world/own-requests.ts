/** Requests that the doctor sends past the platform: those of checks, and those of `--call`. */
import { explainFetchFailure } from '@dowel/http';
import { freshFetch } from '../fresh-fetch.ts';
import { readStart } from '../read-start.ts';

/** A request to the back end, and its answer. */
export interface OwnRequest {
  at: number;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Null: no answer came. */
  status: number | null;
  /** By names in small letters. */
  answerHeaders: Record<string, string>;
  /** The start of its body. */
  answer: string;
  /** Why no answer came. */
  error: { message: string } | null;
}

export interface OwnRequestInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

const limitMs = 30_000;

/** Resolves with the request and its answer. Never rejects. @param closed aborted when the run is over */
export async function sendRequest(
  url: string,
  { method = 'GET', headers = {}, body = '' }: OwnRequestInit = {},
  closed: AbortSignal,
): Promise<OwnRequest> {
  const sent = { at: Date.now(), method, url, headers, body };
  try {
    const response = await freshFetch(url, {
      method,
      headers,
      ...(method !== 'GET' && { body }),
      signal: AbortSignal.any([AbortSignal.timeout(limitMs), closed]),
    });
    return { ...sent, ...answered(response, await readStart(response)) };
  } catch (error) {
    return { ...sent, ...unanswered(error) };
  }
}

/**
 * A fetch with a connection for each request. It keeps each request with its answer in `requests`.
 *
 * @param closed aborted when the run is over
 */
export function keepRequests(requests: OwnRequest[], closed: AbortSignal): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url } = request;
    const headers = Object.fromEntries(request.headers);
    const body = await request.text();
    const sent = { at: Date.now(), method, url, headers, body };
    // A `Request` does not keep its signal alive: a limit could be collected as garbage.
    const signal = init?.signal ? AbortSignal.any([init.signal, closed]) : closed;
    try {
      const response = await freshFetch(url, { method, headers, ...(body && { body }), signal });
      requests.push({ ...sent, ...answered(response, await readStart(response.clone())) });
      return response;
    } catch (error) {
      requests.push({ ...sent, ...unanswered(error) });
      throw error;
    }
  };
}

function answered({ status, headers }: Response, answer: string) {
  return { status, answerHeaders: Object.fromEntries(headers), answer, error: null };
}

function unanswered(error: unknown) {
  const message = explainFetchFailure(error);
  return { status: null, answerHeaders: {}, answer: '', error: { message } };
}
