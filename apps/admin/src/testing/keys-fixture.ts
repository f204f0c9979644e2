import type { EncryptionKey, KeyLocationEntry, Keys, TrustRuleEntry } from '@dowel/admin-api';
import { serverNow } from './fixtures.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

export function encryptionKey(changes: Partial<EncryptionKey> = {}): EncryptionKey {
  return {
    id: '7c21a0f4',
    state: 'active',
    values: 214_806,
    isSealing: true,
    since: serverNow - day,
    mayBeRemoved: false,
    ...changes,
  };
}

export function trustRule(changes: Partial<TrustRuleEntry> = {}): TrustRuleEntry {
  return {
    issuer: 'https://*.example.com',
    location: 'https://keys.example.com/',
    pinned: null,
    fetchedAt: serverNow - 2 * minute,
    usableUntil: serverNow + 2 * day,
    failure: null,
    ...changes,
  };
}

export function keyLocation(changes: Partial<KeyLocationEntry> = {}): KeyLocationEntry {
  return {
    location: 'https://keys.example.com/2026.json',
    isProven: true,
    keys: [{ kid: '2026-10-a', algorithm: 'RS256', bits: 2_048, fingerprint: 'ab'.repeat(32) }],
    fetchedAt: serverNow - 2 * minute,
    freshUntil: serverNow + day,
    usableUntil: serverNow + 2 * day,
    failure: null,
    ...changes,
  };
}

/** One key, one rule, one location. */
export function keysFixture({
  encryption,
  ...changes
}: Partial<Omit<Keys, 'encryption'>> & { encryption?: Partial<Keys['encryption']> } = {}): Keys {
  return {
    now: serverNow,
    rules: [trustRule()],
    process: { pid: 4_711, startedAt: serverNow - day },
    locations: [keyLocation()],
    hiddenLocations: 0,
    ...changes,
    encryption: {
      keys: [encryptionKey()],
      step: 'none',
      unnamedValues: 0,
      countedAt: serverNow - 1_000,
      counting: null,
      ...encryption,
    },
  };
}
