/**
 * Turns an untrusted string into a typed event or init claims. Cheap checks come first. Nothing is fetched
 * before form, algorithm, header, key location and issuer are checked. One failed check refuses a JWT; all
 * must pass to accept it.
 */

import { createGuardedFetch } from '@dowel/http';
import {
  assertMilliseconds,
  assertTimeLimit,
  type InitClaims,
  initClaimsSchema,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventSchemas,
  normalizeEvent,
  type Respelling,
} from '@dowel/schema';
import { compactVerify, errors } from 'jose';
import type { z } from 'zod';
import { PlatformJwtError, toRefusal } from './errors.ts';
import { explainRefusal, type RefusalExplanation } from './explain-refusal.ts';
import { assertClaims, parseClaims } from './jws/claims.ts';
import { type CompactJws, parseCompactJws } from './jws/compact-jws.ts';
import { describeTrust, type TrustReport } from './keys/describe-trust.ts';
import { downloadDocument } from './keys/download-document.ts';
import { createKeySelector } from './keys/key-selector.ts';
import type { KeySource } from './keys/key-source.ts';
import type { KeyLocationMemory } from './keys/known-locations.ts';
import { type PlatformKey, readKeyDocument, selectCandidates } from './keys/platform-key.ts';
import { createRemoteKeys } from './keys/remote-keys.ts';
import type { Sender } from './keys/sender.ts';
import { internalKeyOrigins, type TrustRule } from './keys/trust-rules.ts';

export interface PlatformJwtVerifierOptions {
  /** Whose JWTs are accepted, and with which keys. An empty list refuses every JWT. */
  trustRules: readonly TrustRule[];
  /** Loads key documents. Default: a fetch that connects to public addresses only. */
  fetch?: typeof fetch | undefined;
  /** Hosts of key locations, such as `keys.internal:8443`, that may have private addresses. Default none. */
  allowPrivateKeyHosts?: readonly string[];
  /** The time limit for one key document, from connecting to the last byte, in milliseconds. Default 5,000. */
  keyFetchTimeoutMs?: number;
  /** Epoch milliseconds. Default `Date.now`. */
  now?: () => number;
  /** How far the platform's clock may differ, in both directions, in milliseconds. Default 300,000. */
  leewayMs?: number;
  /** Our names in an `aud` claim. Default none: a JWT with `aud` is refused. */
  audience?: readonly string[];
  /** Keeps locations of good keys beyond the life of the process. Default: none. */
  keyLocationMemory?: KeyLocationMemory;
}

export interface VerifyOptions {
  /** The sender of the JWT. Without it, fetches are limited only for each trust rule. */
  sender?: Sender;
  /** Called when the signature is verified, before the claims are checked. It must not throw. */
  onSigned?: () => void;
}

export interface VerifyEventOptions extends VerifyOptions {
  /** Called before the event is returned, if it is spelled otherwise than the specification says. */
  onRespelled?: (respelled: readonly Respelling[]) => void;
}

export type PlatformJwtVerifier = ReturnType<typeof createPlatformJwtVerifier>;

/**
 * Creates the verifier of events and init JWTs (Spec §5): one per process, because it keeps the keys that it
 * has loaded. Each option and its default: {@link PlatformJwtVerifierOptions}.
 *
 * @example
 * const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });
 * const claims = await verifier.verifyInit(initJwt);
 *
 * @throws TypeError for a `leewayMs` that is not a number of milliseconds, and a `keyFetchTimeoutMs` that is no whole one.
 */
export function createPlatformJwtVerifier({
  trustRules,
  allowPrivateKeyHosts = [],
  fetch = createGuardedFetch({
    internalOrigins: internalKeyOrigins(trustRules, allowPrivateKeyHosts),
  }),
  keyFetchTimeoutMs = 5_000,
  now = Date.now,
  leewayMs = 300_000,
  audience = [],
  keyLocationMemory,
}: PlatformJwtVerifierOptions) {
  assertTimeLimit(keyFetchTimeoutMs, 'keyFetchTimeoutMs');
  assertMilliseconds(leewayMs, 'leewayMs');
  const remoteKeys = createRemoteKeys({
    now,
    memory: keyLocationMemory,
    rules: trustRules.filter(({ keys }) => keys.kind === 'location').length,
    download: async (location) =>
      readKeyDocument(await downloadDocument(location, { fetch, timeoutMs: keyFetchTimeoutMs })),
  });
  const selectKeySource = createKeySelector({ trustRules, remoteKeys });

  const trust: Trust = { selectKeySource, audience, leewayMs, now };

  return {
    /**
     * Verifies an event that arrived at the URL of `event` (Spec §4.1, §5).
     *
     * @throws PlatformJwtError with the reason of the first check that failed, and nothing else.
     */
    verifyEvent(
      jwt: string,
      event: LifecycleEventName,
      { sender, onSigned, onRespelled }: VerifyEventOptions = {},
    ): Promise<LifecycleEvent> {
      const read = (jws: CompactJws) => readEvent(event, jws, onRespelled);
      return verify(trust, jwt, { sub: event, read, sender, onSigned });
    },

    /**
     * Verifies the init JWT that a user's browser presents.
     *
     * @throws PlatformJwtError with the reason of the first check that failed, and nothing else.
     */
    verifyInit(jwt: string, { sender, onSigned }: VerifyOptions = {}): Promise<InitClaims> {
      const read = ({ payload }: CompactJws) => parseClaims(initClaimsSchema, payload);
      return verify(trust, jwt, { sub: 'init', read, sender, onSigned });
    },

    /** Returns more facts about a refusal, for the log. Undefined if the reason is enough. */
    explain: (jwt: string, { reason }: PlatformJwtError): RefusalExplanation | undefined =>
      explainRefusal(jwt, reason, { trustRules, leewayMs, nowMs: now() }),

    /** The rules, and the keys that this verifier has loaded. Only public facts; nothing is fetched. */
    describeTrust: (): TrustReport => describeTrust(trustRules, remoteKeys),
  };
}

/** @throws PlatformJwtError `claims_invalid` */
function readEvent(
  name: LifecycleEventName,
  { header, payload: claims }: CompactJws,
  onRespelled: VerifyEventOptions['onRespelled'],
): LifecycleEvent {
  const { payload, respelled } = normalizeEvent(name, claims);
  const schema: z.ZodType<LifecycleEvent> = lifecycleEventSchemas[name];
  const event = parseClaims(schema, payload);
  if (header.hasUnknown) respelled.push({ pointer: '/?', type: 'unknown header' });
  if (respelled.length > 0) onRespelled?.(respelled);
  return event;
}

interface Trust {
  selectKeySource: ReturnType<typeof createKeySelector>;
  audience: readonly string[];
  leewayMs: number;
  now: () => number;
}

/** What a JWT must be: its `sub`, and its claims. */
interface Expected<Claims> {
  sub: string;
  /** @throws PlatformJwtError `claims_invalid` */
  read: (jws: CompactJws) => Claims;
  sender: Sender | undefined;
  onSigned: VerifyOptions['onSigned'];
}

async function verify<Claims>(
  { selectKeySource, audience, leewayMs, now }: Trust,
  jwt: string,
  { sub, read, sender, onSigned }: Expected<Claims>,
): Promise<Claims> {
  try {
    const jws = parseCompactJws(jwt);
    await assertSignature(jws, selectKeySource(jws, sender));
    onSigned?.();
    assertClaims(jws.payload, { sub, audience, leewayMs, nowMs: now() });
    return read(jws);
  } catch (thrown) {
    throw toRefusal(thrown, 'signature_invalid');
  }
}

/** Newer keys are tried once, because a key may be replaced under its old name. */
async function assertSignature(jws: CompactJws, source: KeySource): Promise<void> {
  const { header } = jws;
  const keys = await source.load();
  if (await isSignedByAny(jws, selectCandidates(keys, header))) return source.confirm();
  const newer = (await source.reload(keys)) ?? [];
  if (await isSignedByAny(jws, selectCandidates(newer, header))) return source.confirm();
  const isOtherAlgorithm = [...keys, ...newer].every(({ alg }) => alg !== header.alg);
  throw new PlatformJwtError(isOtherAlgorithm ? 'alg_not_allowed' : 'signature_invalid');
}

async function isSignedByAny(
  jws: CompactJws,
  candidates: readonly PlatformKey[],
): Promise<boolean> {
  for (const candidate of candidates) {
    if (await isSignedBy(jws, candidate)) return true;
  }
  return false;
}

/** The algorithm is that of the key, never that of the JWT. */
function isSignedBy({ jwt }: CompactJws, { key, alg }: PlatformKey): Promise<boolean> {
  return compactVerify(jwt, key, { algorithms: [alg] }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof errors.JWSSignatureVerificationFailed) return false;
      throw error;
    },
  );
}
