/** The sources of `frame-ancestors`, as browsers compare them (CSP 3, §6.7.2.8). */

const form = /^(?:([a-z][a-z\d+.-]*):\/\/)?(\*|(?:\*\.)?[\w.-]+|\[[\da-f:]+\])(?::(\d+|\*))?\/?$/;
const defaultPorts: Record<string, string> = { http: '80', https: '443' };

/** Whether one of the sources has the origin. `'self'` is another one: the plug-in's own. */
export function allowsAncestor(sources: string, origin: string): boolean {
  const { protocol, hostname, port } = new URL(origin);
  const scheme = protocol.slice(0, -1);
  const own = { scheme, hostname, port: port || defaultPorts[scheme] };
  return sources
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .some((source) => fits(source, own));
}

function fits(
  source: string,
  own: { scheme: string; hostname: string; port: string | undefined },
): boolean {
  const hasScheme = (scheme: string) =>
    scheme === own.scheme || (scheme === 'http' && own.scheme === 'https');
  if (source === '*') return true;
  const [, alone] = /^([a-z][a-z\d+.-]*):$/.exec(source) ?? [];
  if (alone !== undefined) return hasScheme(alone);
  const [, scheme, host = '', port] = form.exec(source) ?? [];
  if (scheme !== undefined && !hasScheme(scheme)) return false;
  const isPort = port === '*' || (port ?? defaultPorts[own.scheme]) === own.port;
  return isPort && hasHost(host, own.hostname);
}

function hasHost(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*.')) return hostname.endsWith(pattern.slice(1));
  return pattern === hostname;
}
