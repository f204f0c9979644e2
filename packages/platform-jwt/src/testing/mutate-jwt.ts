/** Makes hostile tokens from a good one, by changing bytes, parts, headers, claims or JSON syntax. */
import fc from 'fast-check';
import { encodePart } from './signing-key.ts';

type Member = [name: string, value: unknown];

/** The parts of a JWT before they are joined. */
export interface JwtSource {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

const json = (value: unknown) => JSON.stringify(value);
const decode = (part: string) => Buffer.from(part, 'base64url').toString('latin1');

const jsonTokens =
  '{ } [ ] , : " \\ \\u0000 \\ud800 \\u0061 \n \0 \ufeff // /**/ null NaN 1e999 - 0 . \' "":0, "__proto__":{},'.split(
    ' ',
  );

const hostileValues = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom<unknown>(
    '',
    '\0',
    [],
    {},
    null,
    true,
    -1,
    1e308,
    'none',
    'NONE',
    'HS512',
    'PS512',
    'RS256',
    'JWE',
    'init',
    ['install'],
    'https://evil.test',
    'file:///etc/passwd',
  ),
);

const hostileNames = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'crit',
    'jwk',
    'x5c',
    'x5u',
    'b64',
    'zip',
    'enc',
    'aud',
    'nbf',
    '__proto__',
    'constructor',
  ),
);

/** Bytes of the encoded token. */
export function mutateBytes(jwt: string): fc.Arbitrary<string> {
  const position = fc.nat(jwt.length - 1);
  const character = fc.oneof(
    fc.constantFrom('A', 'B', 'z', '0', '9', '-', '_', '.', '=', '+', '/', ' ', '\n', '\0'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  return fc.oneof(
    fc.tuple(position, character).map(([at, c]) => jwt.slice(0, at) + c + jwt.slice(at + 1)),
    fc.tuple(position, character).map(([at, c]) => jwt.slice(0, at) + c + jwt.slice(at)),
    fc.tuple(position, position).map(([from, to]) => jwt.slice(0, from) + jwt.slice(to)),
    fc
      .tuple(position, position)
      .map(([from, to]) => jwt.slice(Math.min(from, to), Math.max(from, to))),
    fc.tuple(position, fc.nat(200)).map(([at, length]) => jwt + jwt.slice(at, at + length)),
  );
}

/** Whole parts: swapped, dropped, repeated, emptied, replaced by noise. */
export function mutateParts(jwt: string): fc.Arbitrary<string> {
  const noise = fc
    .uint8Array({ maxLength: 300 })
    .map((bytes) => Buffer.from(bytes).toString('base64url'));
  const part = fc.oneof(fc.constantFrom(...jwt.split('.'), ''), noise);
  return fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.'));
}

/** One bit of one decoded part. */
export function mutateBits(jwt: string): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(2), fc.nat(), fc.nat(7)).map(([index, at, bit]) => {
    const parts = jwt.split('.');
    const bytes = Buffer.from(parts[index] ?? '', 'base64url');
    const offset = at % bytes.length;
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
    return parts.with(index, bytes.toString('base64url')).join('.');
  });
}

/** JSON of the members with some of them dropped, changed, repeated or added. */
export function mutateMembers(object: Record<string, unknown>): fc.Arbitrary<string> {
  const members = Object.entries(object);
  const changed = fc
    .tuple(fc.nat(members.length - 1), hostileValues)
    .map(([at, value]): Member[] => members.with(at, [members[at]?.[0] ?? '', value]));
  const added = fc
    .tuple(
      fc.oneof(hostileNames, fc.constantFrom(...Object.keys(object))),
      hostileValues,
      fc.boolean(),
    )
    .map(([name, value, first]): Member[] =>
      first ? [[name, value], ...members] : [...members, [name, value]],
    );
  const dropped = fc.subarray(members);
  const toText = (list: readonly Member[]) =>
    `{${list.map(([name, value]) => `${json(name)}:${json(value)}`).join(',')}}`;
  return fc.oneof(changed, added, dropped).map(toText);
}

/** The same JSON with something inserted, removed or escaped. */
export function mutateSyntax(object: Record<string, unknown>): fc.Arbitrary<string> {
  const text = json(object);
  const token = fc.constantFrom(...jsonTokens);
  const position = fc.nat(text.length);
  return fc.oneof(
    fc.tuple(position, token).map(([at, put]) => text.slice(0, at) + put + text.slice(at)),
    fc
      .tuple(position, fc.integer({ min: 1, max: 8 }))
      .map(([at, n]) => text.slice(0, at) + text.slice(at + n)),
    fc
      .nat(text.length - 1)
      .map((at) => text.slice(0, at) + toEscape(text[at] ?? '') + text.slice(at + 1)),
    fc.tuple(fc.constantFrom('[', '{"a":'), fc.nat(20)).map(([open, n]) => open.repeat(n) + text),
  );
}

const toEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A mutated header or payload under the old signature. */
export function mutateUnsigned(jwt: string, { header, claims }: JwtSource): fc.Arbitrary<string> {
  const [h, p, s] = jwt.split('.');
  const texts = (object: Record<string, unknown>) =>
    fc.oneof(mutateMembers(object), mutateSyntax(object)).map(encodePart);
  return fc.oneof(
    texts(header).map((part) => [part, p, s].join('.')),
    texts(claims).map((part) => [h, part, s].join('.')),
    fc.tuple(texts(header), texts(claims)).map((parts) => [...parts, s].join('.')),
  );
}

export const arbitraryText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.base64String({ maxLength: 400 }),
  fc.json(),
  fc.webUrl(),
  fc
    .array(
      fc.jsonValue().map((value) => encodePart(json(value))),
      { minLength: 3, maxLength: 3 },
    )
    .map((parts) => parts.join('.')),
);

/** A token's content, for the message of a failed run. */
export function describeJwt(jwt: string): string {
  return jwt.split('.').slice(0, 2).map(decode).join(' . ');
}
