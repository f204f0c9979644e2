/** The format of a text, without the text. */
import { lifecycleEventNames } from '../lifecycle-events.ts';
import { reasonGroups } from '../reasons.ts';
import { isPlainName } from './plain-name.ts';

export interface TextContext {
  /** The name of the member. */
  name: string;
  /** The tenant's URL. */
  issuer: string | undefined;
  tenantId: string | undefined;
}

/** Values of closed lists. They are shown, because their spelling matters and everybody knows them. */
const fixedValues = new Map<string, readonly string[]>([
  ['alg', ['RS256', 'RS384', 'RS512']],
  ['typ', ['JWT', 'jwt']],
  ['sub', [...lifecycleEventNames, 'init', 'save']],
  ['token_type', ['bearer', 'Bearer', 'BEARER']],
  ['method', ['POST', 'post', 'GET', 'PUT']],
  ['error', Object.keys(reasonGroups.oauth)],
]);

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** The first one that fits. */
const formats: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'empty text'],
  [/^-----BEGIN /, 'PEM text'],
  [/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/, 'JWT'],
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'e-mail address'],
  [/^-?\d+(?:\.\d+)?$/, 'numeric text'],
  [/^(?:true|false)$/i, 'boolean text'],
  [/^\d{4}-\d\d-\d\d(?:$|[T ]\d\d:)/, 'date text'],
  [/^[a-z]{2}$/, 'language tag xx'],
  [/^[a-z]{2}-[A-Z]{2}$/, 'language tag xx-XX'],
  [/^[a-z]{2}_[A-Z]{2}$/, 'language tag xx_XX'],
  [/^\/\//, 'URL without a scheme'],
  [/^[a-z][a-z\d+.-]*:\/\//i, 'URL of another scheme'],
];

/** @returns the format; `inner` is the value that a JSON text contains. */
export function describeText(
  text: string,
  { name, issuer, tenantId }: TextContext,
): { format: string; inner?: unknown } {
  if (fixedValues.get(name)?.includes(text)) return { format: `"${text}"` };
  if (uuid.test(text)) return { format: describeUuid(text, tenantId) };
  if (/^https?:\/\//i.test(text) && URL.canParse(text))
    return { format: describeUrl(text, issuer) };
  const inner = /^\s*[[{]/.test(text) ? parse(text) : undefined;
  if (inner !== undefined) return { format: 'JSON text', inner };
  const [, format] = formats.find(([pattern]) => pattern.test(text)) ?? [];
  if (format !== undefined) return { format };
  return { format: isPath(text) ? describePath(text) : describeLength(text) };
}

function describeUuid(text: string, tenantId: string | undefined): string {
  const isTenant = text.toLowerCase() === tenantId?.toLowerCase();
  const isLower = text === text.toLowerCase();
  return `UUID${isTenant ? ' of the tenant' : ''}${isLower ? '' : ' in upper case'}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeUrl(text: string, issuer: string | undefined): string {
  const url = new URL(text);
  const hasPath = url.pathname !== '/' || /^[a-z]+:\/\/[^/?#]*\//i.test(text);
  return [
    `${url.protocol.slice(0, -1)} URL`,
    describeHost(url.hostname, issuer),
    url.port === '' ? '' : 'with a port',
    url.username === '' ? '' : 'with a user name',
    hasPath ? describePath(url.pathname) : '',
    url.search === '' ? '' : 'with a query',
    url.hash === '' ? '' : 'with a fragment',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function describeHost(host: string, issuer: string | undefined): string {
  if (issuer === undefined || !URL.canParse(issuer)) return 'a host';
  const { hostname } = new URL(issuer);
  if (host === hostname) return "issuer's host";
  return domainOf(host) === domainOf(hostname) ? 'same domain as issuer' : 'other host';
}

/** The last two labels. For some domains, such as those below `co.uk`, that is too short. */
function domainOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}

/** A secret may contain slashes, so a path without one at its start must begin with a word of paths. */
function isPath(text: string): boolean {
  return text.startsWith('/') || (text.includes('/') && isPlainName(text.split('/')[0] ?? ''));
}

const maxSegments = 8;

/** Such as `path /api/<text>/tokens/<uuid>`. */
function describePath(text: string): string {
  const [path = '', ...query] = text.split('?');
  const segments = path.split('/').slice(0, maxSegments).map(describeSegment);
  return `path ${segments.join('/')}${query.length > 0 ? ', with a query' : ''}`;
}

function describeSegment(segment: string): string {
  if (segment === '' || isPlainName(segment)) return segment;
  if (uuid.test(segment)) return '<uuid>';
  return /^\d+$/.test(segment) ? '<number>' : '<text>';
}

const lengths = [64, 256, 1_024, 4_096];

function describeLength(text: string): string {
  const limit = lengths.find((each) => text.length <= each);
  const length = limit === undefined ? `> ${lengths.at(-1)}` : `≤ ${limit}`;
  return [
    `text ${length}`,
    /\s/.test(text) ? 'with blanks' : '',
    /^[\0-\x7f]*$/.test(text) ? '' : 'not ASCII',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
