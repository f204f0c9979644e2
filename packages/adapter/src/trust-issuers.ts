/**
 * The option `issuers`: the issuers to believe, with pinned keys. A page that uses only `jkuOrigins` does not
 * load this module.
 */
import { canonicalIssuer, readOptions, refuse } from './options.ts';
import { fail } from './plugin-error.ts';
import { importKeys, type KeyDocument, wait } from './signing-keys.ts';

export interface Issuer {
  /** The `iss` of its tokens, with or without a last slash; a pattern must match all of it. */
  issuer: string | RegExp;
  /** Its keys. Without keys, the key is loaded from the token's `jku`. */
  keys?: readonly KeyDocument[] | undefined;
}

interface PinnedKeys {
  readonly keys: readonly CryptoKey[];
  /** Describes the keys that cannot be used, in English; empty if all can be used. */
  readonly unusable: string;
}

/** The result of `trustIssuers`. */
export interface TrustedIssuers {
  /**
   * @param iss of a token that is not verified yet
   * @returns the keys that are pinned for the issuer; undefined where the key is at the token's `jku`
   * @throws PluginError ERR1 for an issuer that is not listed, ERR7 when none of its keys is usable
   */
  readonly findKeys: (iss: unknown) => Promise<PinnedKeys | undefined>;
  /** One line for each pinned key that cannot be used, in English. Never rejects. */
  readonly unusable: Promise<readonly string[]>;
}

interface TrustedIssuer {
  readonly isMatch: (iss: string) => boolean;
  readonly pinned: Promise<readonly ImportedKey[]> | undefined;
}

/** The keys of one document, or the reason why it has none. */
type ImportedKey = { readonly keys: readonly CryptoKey[] } | { readonly problem: string };

/** The longest unverified `iss` that is matched with patterns. */
const maxIssuerLength = 2_048;

/**
 * Believes these issuers only, for the option `issuers`. Pinned keys save the key's download; they are
 * imported in the next task, so that an adapter's hello goes first. An unusable key does not disable
 * the issuer's others.
 *
 * @example
 * const issuers = trustIssuers([
 *   { issuer: 'https://acme.example.com', keys: [keyDocument] },
 *   { issuer: /https:\/\/\w+\.example\.com/ },
 * ]);
 * const adapter = createAdapter({ issuers, jkuOrigins: ['https://keys.example.com'] });
 *
 * @throws PluginError ERR_OPTIONS
 */
export function trustIssuers(list: readonly Issuer[]): TrustedIssuers {
  if (!Array.isArray(list)) refuse('issuers', 'trustIssuers([{ issuer, keys }])');
  const trusted = list.map((entry: Issuer, index) => readEntry(entry, `issuers[${index}].`));
  return {
    findKeys: (iss) => findKeys(trusted, iss),
    unusable: Promise.all(trusted.flatMap(({ pinned }) => pinned ?? [])).then((all) =>
      all.flatMap(listProblems),
    ),
  };
}

async function findKeys(
  trusted: readonly TrustedIssuer[],
  iss: unknown,
): Promise<PinnedKeys | undefined> {
  const spelling = canonicalIssuer(iss) ?? `${iss as string}`.slice(0, maxIssuerLength);
  const issuer = trusted.find(({ isMatch }) => isMatch(spelling));
  if (!issuer) fail('ERR1', `Not in issuers: ${iss as string}`);
  const pinned = await issuer.pinned;
  if (!pinned) return undefined;
  const keys = pinned.flatMap((each) => ('keys' in each ? each.keys : []));
  const problems = listProblems(pinned);
  if (keys.length === 0) fail('ERR7', ['No pinned key', ...problems].join('; '));
  return { keys, unusable: problems.map((problem) => `; ${problem}`).join('') };
}

function listProblems(pinned: readonly ImportedKey[]): string[] {
  return pinned.flatMap((each) => ('problem' in each ? each.problem : []));
}

function readEntry(entry: Issuer, path: string): TrustedIssuer {
  const known: Required<Issuer> = { issuer: undefined as never, keys: undefined };
  const { issuer, keys } = readOptions(entry, known, path);
  if (keys !== undefined && !Array.isArray(keys)) refuse(`${path}keys`, 'Array');
  const pinned = keys?.map((key, at) => importPinned(key, `${path}keys[${at}]`));
  return { isMatch: readIssuer(issuer, path), pinned: pinned && Promise.all(pinned) };
}

/** @returns whether this is the issuer of a token, whose `iss` has the canonical spelling */
function readIssuer(issuer: string | RegExp, path: string): (iss: string) => boolean {
  if (issuer instanceof RegExp) {
    const whole = `^(?:${issuer.source})$`;
    return (iss) => [iss, `${iss}/`].some((each) => RegExp(whole, issuer.flags).test(each));
  }
  const expected = canonicalIssuer(issuer) ?? refuse(`${path}issuer`, 'a URL or a pattern');
  return (iss) => iss === expected;
}

async function importPinned(document: KeyDocument, name: string): Promise<ImportedKey> {
  try {
    await wait();
    return { keys: await importKeys(document) };
  } catch (error) {
    return { problem: `${name} is unusable: ${error as Error}` };
  }
}
