/**
 * What the platform sent, without its values: the names, types and formats of members, made for a public issue. Every
 * word of a shape is from this folder, or a name that the schema knows (docs/operations.md, "Shapes").
 */
import type { z } from 'zod';
import { listsMembers, memberSchema, namesMember } from '../json/schema-members.ts';
import { describeText } from './describe-text.ts';
import { isPlainName } from './plain-name.ts';

export interface ShapeContext {
  /** What Dowel expects. Members that it does not know, and those that it refuses, are marked. Default: no marks. */
  schema?: z.ZodType | undefined;
  /** The URL of the tenant, which other URLs are compared with. Default: the member `iss`, if it is one. */
  issuer?: string | undefined;
  /** Default: the member `tenantId` or `ctx.tenantId`. */
  tenantId?: string | undefined;
}

/** One member on the walk. */
interface Member {
  value: unknown;
  path: string;
  /** The last name of the path, as it is shown. */
  name: string;
  /** Undefined: nothing is known of it. */
  schema: z.core.$ZodType | undefined;
  depth: number;
}

interface Walk {
  issuer: string | undefined;
  tenantId: string | undefined;
  /** The formats of each path. Several members may have one path. */
  formats: Map<string, Set<string>>;
  visited: number;
}

const root = '(all)';
const maxDepth = 8;
/** An answer may have thousands of members. */
const maxVisited = 1_000;
const maxLines = 80;

/**
 * Returns one line for each member of a JSON value, sorted: `client/client_secret: text ≤ 64`. Never throws. A line
 * contains no value. Its path has names that `schema` knows, and those of {@link isPlainName}; any other name is
 * `<name>`, and the fields of a widget's configuration are `cfg.*`. Arrays have the index `*`. Marks: `(unknown)` for
 * what `schema` does not name, `(refused)` for what it does not accept.
 */
export function describeShape(value: unknown, context: ShapeContext = {}): string[] {
  const { schema, issuer = memberOf(value, 'iss') } = context;
  const tenantId =
    context.tenantId ?? memberOf(value, 'tenantId') ?? memberOf(value, 'ctx.tenantId');
  const walk: Walk = { issuer, tenantId, formats: new Map(), visited: 0 };
  visit(walk, { value, path: root, name: root, schema, depth: 0 });
  if (schema) markRefused(walk, schema, value);
  if (walk.formats.size > 1 && !isMarked(walk.formats.get(root))) walk.formats.delete(root);
  return [...walk.formats]
    .map(([path, formats]) => `${path}: ${[...formats].sort().join(' or ')}`)
    .sort()
    .slice(0, maxLines);
}

function memberOf(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' ? member : undefined;
}

function visit(walk: Walk, member: Member, mark = ''): void {
  const { value, path, name, depth } = member;
  walk.visited += 1;
  if (walk.visited > maxVisited) return;
  const { format, inner } = describeValue(walk, value, name);
  addFormat(walk, path, `${format}${mark}`);
  if (typeof inner !== 'object' || inner === null || depth >= maxDepth) return;
  const isText = typeof value === 'string';
  visitMembers(walk, {
    ...member,
    value: inner,
    path: isText ? `${path}#` : path,
    schema: isText ? undefined : member.schema,
  });
}

function visitMembers(walk: Walk, { value, path, schema, depth }: Member): void {
  const place = path === root ? '' : `${path}/`;
  const isArray = Array.isArray(value);
  for (const [key, member] of Object.entries(value as object)) {
    const isNamed = !isArray && schema !== undefined && namesMember(schema, key);
    const name = isArray ? '*' : isNamed ? key : shownName(key);
    const known = schema && memberSchema(schema, isArray ? 0 : key);
    const isUnknown = !isArray && !known && schema !== undefined && listsMembers(schema);
    // The author of a widget's configuration chose its names, and its fields hold what people typed.
    if (/^cfg(?:\.|$)/.test(key)) {
      addFormat(walk, `${place}${key === 'cfg' ? 'cfg' : 'cfg.*'}`, typeOf(member));
      continue;
    }
    visit(
      walk,
      {
        value: member,
        path: `${place}${name}`,
        name,
        schema: known,
        depth: depth + 1,
      },
      isUnknown ? ' (unknown)' : '',
    );
  }
}

/** The prefixes are those of the init claims. */
function shownName(name: string): string {
  const [, prefix = '', rest = ''] = /^((?:ctx|stt)\.)?(.*)$/s.exec(name) ?? [];
  return `${prefix}${isPlainName(rest) ? rest : '<name>'}`;
}

function addFormat({ formats }: Walk, path: string, format: string): void {
  const known = formats.get(path);
  if (known) known.add(format);
  else formats.set(path, new Set([format]));
}

/** Marks what the schema does not accept, and names what is missing. */
function markRefused({ formats }: Walk, schema: z.ZodType, value: unknown): void {
  for (const { path } of schema.safeParse(value).error?.issues ?? []) {
    const place = pathOf(schema, path);
    const found = formats.get(place) ?? new Set(['missing']);
    formats.set(
      place,
      new Set([...found].map((each) => each.replace(/( \(refused\))?$/, refused))),
    );
  }
}

const refused = ' (refused)';

function isMarked(formats: Set<string> | undefined): boolean {
  return [...(formats ?? [])].some((format) => format.endsWith(refused));
}

/** Ends where the schema names nothing. */
function pathOf(schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const shown: string[] = [];
  let within: z.core.$ZodType | undefined = schema;
  for (const key of path) {
    if (typeof key === 'symbol' || !within) break;
    shown.push(typeof key === 'number' ? '*' : namesMember(within, key) ? key : shownName(key));
    within = memberSchema(within, key);
  }
  return shown.join('/') || root;
}

function describeValue(
  { issuer, tenantId }: Walk,
  value: unknown,
  name: string,
): { format: string; inner?: unknown } {
  if (typeof value === 'string') return describeText(value, { name, issuer, tenantId });
  if (typeof value === 'number') return { format: describeNumber(value) };
  return { format: typeOf(value), inner: value };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The order of magnitude: `number 10-99`. */
function describeNumber(value: number): string {
  if (!Number.isInteger(value)) return 'number with a fraction';
  if (value < 0) return 'negative number';
  if (!Number.isSafeInteger(value)) return 'number above 2^53';
  const digits = String(value).length;
  return `number ${digits === 1 ? 0 : 10 ** (digits - 1)}-${10 ** digits - 1}`;
}
