/** Reads `--call`: a request of the page, or a module that opens a session first. */
import { DoctorError } from '../doctor-error.ts';
import type { CallModule, PageContext } from './caller.ts';

const form = /^([A-Z]+) (\/\S*)(?: (.+))?$/s;
const placeholder = /\{(\w+)\}/g;
const names = ['initJwt', 'instanceId', 'pluginId', 'tenantId', 'userId', 'recipientId', 'message'];
const limitMs = 30_000;

/**
 * A call from a request such as `POST /api/notify {"initJwt":"{initJwt}","message":"{message}"}`. Names in braces are
 * replaced; the init JWT is also sent as bearer. A path begins at the origin of the back end.
 *
 * @throws DoctorError `OPTION_INVALID`
 *
 * @example
 * const call = parseCall('POST /api/notify {"initJwt":"{initJwt}","message":"{message}"}');
 */
export function parseCall(text: string): CallModule {
  const [, method, path = '', body] = form.exec(text.trim()) ?? [];
  if (method === undefined) {
    throw invalid(
      'Write METHOD /path {json}, such as: POST /api/notify {"initJwt":"{initJwt}","message":"{message}"}',
    );
  }
  for (const [, name = ''] of `${path}${body ?? ''}`.matchAll(placeholder)) {
    if (!names.includes(name))
      throw invalid(`{${name}} is not known. There are ${names.join(', ')}`);
  }
  if (!`${path}${body ?? ''}`.includes('{message}'))
    throw invalid('It needs {message}, so that its calls are recognized');
  return {
    prepare: (page) => Promise.resolve((message) => send(page, { method, path, body, message })),
  };
}

function send(
  page: PageContext,
  {
    method,
    path,
    body,
    message,
  }: Record<'method' | 'path' | 'message', string> & { body: string | undefined },
): Promise<Response> {
  const { createInitJwt: _, fetch, ...ids } = page;
  const values: Record<string, string> = { ...ids, message };
  const fill = (text: string, encode: (value: string) => string) =>
    text.replace(placeholder, (_, name: string) => encode(values[name] ?? ''));
  const url = new URL(fill(path, encodeURIComponent), page.base);
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${page.initJwt}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: fill(body, (value) => JSON.stringify(value).slice(1, -1)) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  });
}

function invalid(message: string): DoctorError {
  return new DoctorError('OPTION_INVALID', `--call is wrong. ${message}`);
}
