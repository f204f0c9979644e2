/** Selects the keys that may sign for the issuer that a JWT names. The JWT is not verified yet. */
import { issuerMatches } from '@dowel/schema';
import { PlatformJwtError } from '../errors.ts';
import type { CompactJws } from '../jws/compact-jws.ts';
import { keyLocationMatches } from './key-binding.ts';
import { createStaticKeySource, type KeySource } from './key-source.ts';
import { keySourceOf, type RemoteKeys } from './remote-keys.ts';
import type { Sender } from './sender.ts';
import type { TrustRule } from './trust-rules.ts';

export interface KeySelectorOptions {
  trustRules: readonly TrustRule[];
  remoteKeys: RemoteKeys;
}

/** Static keys have priority: if an operator pinned keys for an issuer, `jku` is ignored. */
export function createKeySelector({ trustRules, remoteKeys }: KeySelectorOptions) {
  /** @throws PlatformJwtError `claims_invalid`, `issuer_key_mismatch` or `jku_not_allowed` */
  return ({ header, payload: { iss } }: CompactJws, sender: Sender | undefined): KeySource => {
    const { jku = '' } = header;
    if (typeof iss !== 'string') throw new PlatformJwtError('claims_invalid');
    const welcome = trustRules.filter((rule) => issuerMatches(rule, iss));
    if (welcome.length === 0) throw new PlatformJwtError('issuer_key_mismatch');
    const pinned = welcome.flatMap(({ keys }) => (keys.kind === 'static' ? keys.keys : []));
    if (pinned.length > 0) return createStaticKeySource(pinned);
    const rule = welcome.find((each) => isLocatedBy(each, jku));
    if (rule) return keySourceOf(remoteKeys, { location: jku, rule, sender });
    throw new PlatformJwtError(
      trustRules.some((rule) => isLocatedBy(rule, jku)) ? 'issuer_key_mismatch' : 'jku_not_allowed',
    );
  };
}

function isLocatedBy({ keys }: TrustRule, jku: string): boolean {
  return keys.kind === 'location' && keyLocationMatches(keys, jku);
}
