/** Checks what a request is addressed to (RFC 9112 §3.2), before any other code reads it. */
import type { IncomingMessage } from 'node:http';
import type { Reason } from '@dowel/schema';

/** Why a request's address is refused. */
export interface TargetProblem {
  /** For the log. */
  reason: Extract<Reason, 'host_missing' | 'host_invalid' | 'target_invalid'>;
  /** For the sender. */
  message: string;
}

/** Printable characters without a fragment: parsers disagree about everything else. */
const plainPath = /^\/[\x21\x22\x24-\x7e]*$/;
/** A name, an IPv4 address or one in brackets, with a port or not; may be empty (RFC 9112 §3.2). */
const plainHost = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/;

/** Replaces a whole URL in `request.url` by its path. @returns the problem, if there is one. */
export function checkTarget(request: IncomingMessage): TargetProblem | undefined {
  const { host } = request.headers;
  if (host === undefined && request.httpVersion === '1.1') {
    return { reason: 'host_missing', message: 'Send the header Host' };
  }
  // Node keeps the first of several.
  if (countHosts(request) > 1 || (host !== undefined && !plainHost.test(host))) {
    return { reason: 'host_invalid', message: 'Send one header Host, with a name and a port' };
  }
  const path = pathOf(request);
  if (path === undefined) {
    return {
      reason: 'target_invalid',
      message: 'The target of a request is a path, such as /manifest.json',
    };
  }
  request.url = path;
  return undefined;
}

/** Names and values alternate in the list. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && isHost(text)).length;
}

const isHost = (name: string) => name.length === 4 && name.toLowerCase() === 'host';

function pathOf({ url: target = '', method }: IncomingMessage): string | undefined {
  if (plainPath.test(target)) return target;
  if (target === '*' && method === 'OPTIONS') return target;
  // A user name before the host is an error (RFC 9110 §4.2.4).
  if (!/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(target)) return undefined;
  const url = URL.parse(target);
  return url ? `${url.pathname}${url.search}` : undefined;
}
