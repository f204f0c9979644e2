/** The controls of packages/adapter (threat groups A, B, D and G), guarded by its unit tests. */
import { type Control, controlsOf } from '../control.ts';

const adapter = 'packages/adapter/src';
const tests = (...names: string[]) => names.map((name) => `${adapter}/${name}.test.ts`);

export const controls: Control[] = [
  ...controlsOf(`${adapter}/session.ts`, tests('session', 'options'), [
    ['D06', ", redirect: 'error'", ''],
    ['G10', "refuse(name, 'an http(s) URL or a path')", 'void refuse'],
  ]),
  ...controlsOf(`${adapter}/nonce-from.ts`, tests('nonce-from', 'options'), [
    ['G02', "redirect: 'error',"],
    ['G02', "credentials: 'omit',"],
    ['G10', "checkUrl(nonceUrl, 'nonceFrom');"],
    ['G08', 'isText(nonce) ? nonce :', 'nonce ? (nonce as string) :'],
  ]),
  ...controlsOf(`${adapter}/greet.ts`, tests('nonce-from'), [
    ['G02', 'timeoutMs - ageMs(), signal, jti', 'timeoutMs, signal, jti'],
    ['G02', 'signal, jti });', 'signal });'],
  ]),
  ...controlsOf(`${adapter}/create-context.ts`, tests('options'), [
    ['G02', "if (nonce !== undefined && !nonce?.ask) refuse('nonce', 'nonceFrom(...)');"],
  ]),
  ...controlsOf(`${adapter}/options.ts`, tests('options', 'verify-token-claims', 'signing-keys'), [
    ['B02', "refuse(name, 'an origin')", '(origin as string)'],
    ['B02', String.raw`/^https?:\/\/[^\s/\\?#@%*]+(\/|$)/i.test(text)`, 'text'],
    ['B11', 'pathname && href === origin + pathname', 'pathname'],
    ['G08', '(kind === Number && !((value as number) >= 0))', 'false'],
    ['G08', '!Object.hasOwn(defaults, name)', '!(name in defaults)'],
    ['G08', 'for (const name in given)', 'for (const name of Object.keys(given))'],
    ['G08', '= defaults[name] } = given;', '= defaults[name] } = { ...given };'],
  ]),
  ...controlsOf(`${adapter}/signing-keys.ts`, tests('signing-keys'), [
    ['B04', "redirect: 'error' "],
    ['B01', '|| !jkuOrigins.includes(address.origin)'],
    ['A08', 'rsa.modulusLength < 2048 ||'],
    ['A08', '|| rsa.publicExponent.length < 3'],
    ['A08', "if (jwks.some(({ d, k }) => d ?? k)) throw Error('Private key');"],
    ['A08', 'alg?.name === schemeName', 'alg?.name'],
    ['B07', 'while (text.length <= maxDocumentLength)', 'while (true)'],
  ]),
  ...controlsOf(
    `${adapter}/verify-token.ts`,
    tests('verify-token', 'verify-token-claims', 'save', 'options'),
    [
      ['A05', '|| Object.keys(others).length'],
      ['A06', "typ?.toUpperCase?.() !== 'JWT' ||"],
      ['A03', 'if (algorithm.hash.name !== hash) continue;'],
      ['A01', 'if (!isGood) continue;'],
      ['B11', 'issuers !== undefined && !issuers?.findKeys', 'false'],
      ['G08', '(await parentOrigin(origin, claims)) === true', '!!parentOrigin(origin, claims)'],
      ['A11', 'exp >= iat && ', ''],
      ['A11', ' && exp - iat <= maxLifetimeSeconds', ''],
      ['G08', "typeof jti !== 'string' ||"],
      ['B11', '!iss ||'],
    ],
  ),
  ...controlsOf(`${adapter}/trust-issuers.ts`, tests('verify-token', 'options'), [
    ['B11', 'RegExp(whole, issuer.flags)', 'issuer'],
    ['B11', 'keys !== undefined && !Array.isArray(keys)', 'false'],
  ]),
  ...controlsOf(`${adapter}/life.ts`, tests('session'), [['G10', 'context.session = undefined;']]),
  ...controlsOf(`${adapter}/greet.ts`, tests('get-token'), [
    [
      'G10',
      'Math.max(performance.now() - startedAt, Date.now() - startedAtDate)',
      'Date.now() - startedAtDate',
    ],
  ]),
  ...controlsOf(`${adapter}/init-token.ts`, tests('get-token', 'session'), [
    ['G10', '|| leftMs < minValidityMs'],
    [
      'G01',
      'do await ensureToken(context, minValidityMs);\n  while (context.isSpent);',
      'await ensureToken(context, minValidityMs);',
    ],
  ]),
  ...controlsOf(`${adapter}/init.ts`, tests('create-adapter'), [
    ['I12', "if (signal.aborted) fail('ERR_ABORTED', 'Aborted', signal.reason);"],
  ]),
  ...controlsOf(`${adapter}/save.ts`, tests('save'), [
    ['G08', 'untilAborted(overtime, verifying)', 'verifying'],
  ]),
  ...controlsOf(`${adapter}/plugin-error.ts`, tests('plugin-error', 'verify-token'), [
    ['G09', 'diagnosis.slice(0, maxDiagnosisLength)', 'diagnosis'],
  ]),
];
