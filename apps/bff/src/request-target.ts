/** What a request may be addressed to (RFC 9112 §3.2), before any other code reads it. */
import type { IncomingMessage } from 'node:http';

/** What is wrong with a request's address: for the log, and for its sender. */
export interface TargetProblem {
  reason: 'host_missing' | 'host_invalid' | 'target_invalid';
  message: string;
}

/** Printable, and no fragment: parsers disagree about all others. */
const plainPath = /^\/[\x21\x22\x24-\x7e]*$/;
/** A name, an IPv4 address or one in brackets, with a port or not; may be empty (RFC 9112 §3.2). */
const plainHost = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/;

/** Makes a whole URL a path in `request.url`. @returns the problem, if there is one. */
export function checkTarget(request: IncomingMessage): TargetProblem | undefined {
  const { host } = request.headers;
  if (host === undefined && request.httpVersion === '1.1') {
    return { reason: 'host_missing', message: 'Send the header Host' };
  }
  // Node keeps the first of several.
  const hosts = request.headersDistinct.host ?? [];
  if (hosts.length > 1 || (host !== undefined && !plainHost.test(host))) {
    return { reason: 'host_invalid', message: 'Send one header Host, with a name and a port' };
  }
  const path = pathOf(request);
  if (path === undefined) {
    return { reason: 'target_invalid', message: 'Ask for a path, such as /manifest.json' };
  }
  request.url = path;
  return undefined;
}

function pathOf({ url: target = '', method }: IncomingMessage): string | undefined {
  if (plainPath.test(target)) return target;
  if (target === '*' && method === 'OPTIONS') return target;
  // A user's name in front of the host is an error (RFC 9110 §4.2.4).
  if (!/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(target)) return undefined;
  const url = URL.parse(target);
  return url ? `${url.pathname}${url.search}` : undefined;
}
