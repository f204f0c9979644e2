/** The controls of packages/platform-jwt (threat groups A, B, D02, D03, G03, G13). */
import type { Control } from '../control.ts';

const folder = 'packages/platform-jwt/src';

type Entry = [id: string, find: string, replace?: string];

/** Controls of one module, guarded by one or more test files. */
function controlsOf(
  module: string,
  tests: readonly string[],
  entries: readonly Entry[],
): Control[] {
  return entries.map(([id, find, replace = '']) => ({
    id,
    find,
    replace,
    file: `${folder}/${module}.ts`,
    tests: tests.map((test) => `${folder}/${test}.test.ts`),
  }));
}

export const controls: Control[] = [
  ...controlsOf(
    'jws/compact-jws',
    ['forged-signature'],
    [
      ['A01', "if (!isAlgorithm(alg)) throw new PlatformJwtError('alg_not_allowed');"],
      [
        'A02',
        "['RS256', 'RS384', 'RS512'] as const",
        "['RS256', 'RS384', 'RS512', 'HS512'] as const",
      ],
      ['A05', 'names.some((name) => refusedParameters.includes(name)) ||'],
      ['A06', "(typ !== undefined && typ.toUpperCase() !== 'JWT') ||"],
      ['A06', '!isOptionalText(jku, maxJkuLength) ||'],
      ['A06', '!isOptionalText(kid, maxKidLength)', 'false'],
      ['A07', '!compactForm.test(jwt)', 'false'],
      ['A07', 'jwt.length > maxLength ||'],
      ['A12', 'fatal: true', 'fatal: false'],
      ['A12', 'ignoreBOM: true', 'ignoreBOM: false'],
      ['A14', "typeof jwt !== 'string' ||"],
    ],
  ),
  ...controlsOf(
    'jws/compact-jws',
    ['jws/claims'],
    [['A12', "decodeObject(payload, 'claims_invalid')", 'JSON.parse(payload.toString())']],
  ),
  ...controlsOf(
    'jws/base64url',
    ['forged-signature'],
    [['A07', "bytes.toString('base64url') === text ? bytes : undefined", 'bytes']],
  ),
  ...controlsOf(
    'jws/strict-json',
    ['jws/strict-json'],
    [
      ['A12', 'name in object ||'],
      ['A13', '|| prototypeNames.includes(name)'],
      ['A13', "value.includes('\\0') ||"],
      ['A13', '|| !value.isWellFormed()'],
      ['A13', 'Object.create(null)', '{}'],
      ['A11', "if (!Number.isFinite(value)) throw new StrictJsonError('ambiguous');"],
      ['B07', "if (depth > maxDepth) throw new StrictJsonError('ambiguous');"],
      ['A12', "if (!reader.isAtEnd()) throw new StrictJsonError('syntax');"],
    ],
  ),
  ...controlsOf(
    'jws/claims',
    ['jws/claims', 'jws/claim-times'],
    [
      ['A09', "if (sub !== expected.sub) throw new PlatformJwtError('sub_mismatch');"],
      ['A11', 'iat: z.number(),', 'iat: z.coerce.number(),'],
      ['A11', 'exp: z.number(),', 'exp: z.number().default(() => Date.UTC(2026) / 1000),'],
      ['A11', 'nbf: z.number().optional()', 'nbf: z.coerce.number().optional()'],
      ['A11', 'exp < iat ||'],
      ['A11', '|| exp - iat > maxLifetimeSeconds'],
      ['A11', 'Math.max(iat, nbf)', 'nbf'],
      ['G13', 'Math.max(iat, nbf)', 'iat'],
      ['G13', "if (exp < earliest) throw new PlatformJwtError('expired');"],
      ['G13', '(nowMs - leewayMs) / 1000', 'nowMs - leewayMs'],
      [
        'A18',
        "if (!parsed.success) throw new PlatformJwtError('claims_invalid');",
        "if (!parsed.success) throw new PlatformJwtError('claims_invalid', { cause: parsed.error });",
      ],
      [
        'A19',
        'aud !== undefined && ![aud]',
        'expected.audience.length > 0 && aud !== undefined && ![aud]',
      ],
      ['A19', '.some((name) => expected.audience.includes(name))', '.some(() => true)'],
    ],
  ),
  ...controlsOf(
    'keys/platform-key',
    ['keys/platform-key'],
    [
      ['A03', '.filter(({ alg }) => alg === header.alg)'],
      ['A03', '|| alg !== stated'],
      ['A08', 'jwks.some(isSecretJwk) ||'],
      ['A08', '|| new Set(kids).size !== kids.length'],
      ['B14', 'header.kid === undefined || kid === header.kid', 'true'],
      ['B14', '.slice(0, maxCandidates)'],
      ['A08', "if (keys.length === 0) throw new PlatformJwtError('key_not_acceptable');"],
    ],
  ),
  ...controlsOf(
    'keys/rsa-key',
    ['keys/platform-key'],
    [
      ['A08', 'isSecretJwk(jwk) ||'],
      ['A08', '!isForVerifying(jwk) ||'],
      ['A08', "use === 'sig' &&"],
      ['A08', "&& operations.includes('verify')"],
      ['A08', 'bits >= minModulusBits &&'],
      ['A08', 'bits <= maxModulusBits &&'],
      ['A08', 'modulus % 2n === 1n &&'],
      ['A08', 'exponent >= minExponent &&'],
      ['A08', 'exponent <= maxExponent &&'],
      ['A08', 'exponent % 2n === 1n &&'],
      ['A08', '!hasRocaFingerprint(modulus)', 'true'],
    ],
  ),
  ...controlsOf(
    'keys/key-selector',
    ['keys/key-location', 'keys/static-keys', 'jws/claims'],
    [
      [
        'B01',
        'const rule = welcome.find((each) => isLocatedBy(each, jku));',
        'const [rule] = welcome;',
      ],
      [
        'B11',
        "if (welcome.length === 0) throw new PlatformJwtError('issuer_key_mismatch');",
        'if (welcome.length === 0) welcome.push(...trustRules);',
      ],
      ['B01', 'if (pinned.length > 0) return createStaticKeySource(pinned);'],
      ['A13', "if (typeof iss !== 'string') throw new PlatformJwtError('claims_invalid');"],
    ],
  ),
  ...controlsOf(
    'keys/key-binding',
    ['keys/key-location', 'keys/trust-rules'],
    [
      ['B02', ' === jku &&', ' !== null &&'],
      ['B05', 'url.pathname.startsWith(pathPrefix) &&'],
      ['B05', 'isPlainKeyPath(url.pathname)', 'true'],
    ],
  ),
  ...controlsOf(
    'keys/static-keys',
    ['keys/static-keys'],
    [['A08', "if (label === 'PUBLIC KEY' || label === 'RSA PUBLIC KEY') return", 'return']],
  ),
  ...controlsOf(
    'keys/download-document',
    ['keys/key-download'],
    [
      ['B04', "redirect: 'error',"],
      ['B07', 'response.status !== 200 ||'],
      ['B07', "|| encoding !== 'identity'"],
      [
        'B07',
        'readBounded(response.body, maxDocumentBytes)',
        'readBounded(response.body, Infinity)',
      ],
      ['B07', 'signal: AbortSignal.timeout(timeoutMs),'],
      ['B07', 'fatal: true', 'fatal: false'],
      ['B07', 'return parseStrictJson(', 'return JSON.parse('],
    ],
  ),
  ...controlsOf(
    'keys/fetch-budget',
    ['keys/fetch-budget'],
    [
      ['B08', "if (recent.length >= perMinute * shares[standing]) return 'refused';"],
      ['B08', "if (sender && own.length >= perMinute * addressShares[standing]) return 'refused';"],
      ['B08', 'account.inFlight < maxInFlight * shares[standing]', 'true'],
      ['B08', 'fresh: 0.75', 'fresh: 1'],
      ['B08', 'other: 0.25', 'other: 0.75'],
      ['B08', "if (sender.isKnown) return 'known';"],
      ['B08', 'ofNetwork.length < maxOfFreshNetwork &&'],
      ['B08', '[...ofNetwork, ...ahead]', 'ofNetwork'],
      ['B08', 'Math.max(minFetchesPerRule, ', '('],
      ['B08', 'fetchesPerMinute / Math.max(1, rules)', 'fetchesPerMinute'],
      ['B08', 'for (const { waiter } of refused) waiter.reject(limited());'],
      ['B08', 'if (!worse) throw limited();', 'if (!worse) return;'],
      ['B08', 'account.spendings = account.spendings.filter((each) => each !== spending);'],
      ['B08', 'const memoryMs = 60 * minuteMs;', 'const memoryMs = minuteMs;'],
      ['C1', 'time <= nowMs && nowMs - time < durationMs', 'nowMs - time < durationMs'],
    ],
  ),
  ...controlsOf(
    'keys/known-locations',
    ['keys/known-locations'],
    [
      ['B08', 'isWithin(readEveryMs, readAt, now())', 'false'],
      ['B08', 'isWithin(readEveryMs, readAt, now())', 'true'],
      ['B08', '.catch(() => undefined)'],
      ['B08', 'if (noted !== undefined && isWithin(dayMs, noted, now())) return;'],
      ['B08', 'isWithin(dayMs, noted, now())', 'true'],
      ['B08', 'now() - dayMs + retryMs', 'now()'],
      ['B08', 'notedAt.set(location, usedAt)', 'notedAt.set(location, 0)'],
    ],
  ),
  ...controlsOf(
    'keys/remote-keys',
    ['keys/known-locations'],
    [
      ['B08', 'if (!isKnownLocation(known, location)) await refreshKnownLocations(known);'],
      ['B08', 'if (isKnownLocation(known, location)) return startFlight(remote, request);'],
      ['B15', 'if (payment) return payment;'],
      ['B09', 'sender?.isKnown ? askedAt.known : askedAt.other', 'askedAt.other'],
      ['B08', 'if (loaded.spending) refund(loaded.spending);'],
      ['B08', 'remote.good.set(location, loaded);', 'remote.unproven.set(location, loaded);'],
    ],
  ),
  ...controlsOf(
    'keys/remote-keys',
    ['keys/remote-keys'],
    [
      ['B15', 'if (flight) return flight;'],
      ['B10', 'failure && isWithin(negativeMs, failure.failedAt, remote.now())', 'false'],
      ['B10', 'const negativeMs = 10_000;', 'const negativeMs = 11_000;'],
      ['B10', 'if (mayServe && refusal.retryable) return loaded.keys;'],
      ['B10', 'mayServe && refusal.retryable', 'mayServe'],
      [
        'B10',
        'loaded && isWithin(freshMs + staleIfErrorMs, loaded.loadedAt, remote.now())',
        'loaded',
      ],
      ['B10', 'if (loaded && isFresh(loaded)) return', 'if (loaded) return'],
      ['B09', '!remote.flights.has(location) && isCoolingDown(remote, request)', 'false'],
      ['B14', '!remote.flights.has(location) && isCoolingDown', 'isCoolingDown'],
      ['B09', '    () => undefined,\n'],
    ],
  ),
  ...controlsOf(
    'verifier',
    ['keys/remote-keys'],
    [['B14', '(await source.reload(keys)) ?? []', '[]']],
  ),
  ...controlsOf(
    'verifier',
    ['keys/known-locations'],
    [
      [
        'B08',
        'header))) return source.confirm();\n  const newer',
        'header))) return;\n  const newer',
      ],
    ],
  ),
  ...controlsOf(
    'verifier',
    ['forged-signature', 'jws/claims'],
    [
      ['A03', 'await assertSignature(jws, selectKeySource(jws, sender));'],
      ['A11', 'assertClaims(jws.payload, { sub, audience, leewayMs, nowMs: now() });'],
      [
        'A13',
        'const event = parseClaims(schema, payload);',
        'const event = payload as LifecycleEvent;',
      ],
      ['I8', "throw toRefusal(thrown, 'signature_invalid');", 'throw thrown;'],
      ['A03', 'if (await isSignedBy(jws, candidate)) return true;', 'return true;'],
      ['A03', 'verifyInPool(hashes[alg], signed,', "verifyInPool('sha512', signed,"],
    ],
  ),
  ...controlsOf(
    'verifier',
    ['jws/claim-times'],
    [['options', "assertMilliseconds(leewayMs, 'leewayMs');"]],
  ),
];
