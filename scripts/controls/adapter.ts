/** The controls of packages/adapter (threat groups A, B, D and G), guarded by its unit tests. */
import { type Control, controlsOf } from './control.ts';

const adapter = 'packages/adapter/src';
const tests = (...names: string[]) => names.map((name) => `${adapter}/${name}.test.ts`);

export const controls: Control[] = [
  ...controlsOf(`${adapter}/session.ts`, tests('session', 'options'), [
    ['D06', "redirect: 'error', ", ''],
    ['G10', "refuse('sessionUrl', 'an http(s) address or a path')", 'void refuse'],
  ]),
  ...controlsOf(`${adapter}/options.ts`, tests('options', 'verify-token-claims', 'signing-keys'), [
    ['B02', "refuse(name, 'an origin')", 'origin as string'],
    ['B02', String.raw`/^https?:\/\/[^\s/\\?#@%*]+(\/|$)/i.test(text)`, 'text'],
    ['B11', 'pathname && href === origin + pathname', 'pathname'],
    ['G08', "(type !== 'number' || value >= 0)", 'true'],
    ['G08', 'Object.hasOwn(known, name) && known[name]', 'known[name]'],
  ]),
  ...controlsOf(`${adapter}/signing-keys.ts`, tests('signing-keys'), [
    ['B04', "redirect: 'error' "],
    ['B01', '|| !jkuOrigins.includes(address.origin)'],
    ['A08', 'modulusLength < 2048 ||'],
    ['A08', '|| publicExponent.length < 3'],
    ['A08', "if (jwks.some(({ d, k }) => d ?? k)) throw Error('Private key');"],
    ['A08', 'alg?.name === schemeName', 'alg?.name'],
    ['B07', 'while (text.length <= maxDocumentLength)', 'while (true)'],
  ]),
  ...controlsOf(
    `${adapter}/verify-token.ts`,
    tests('verify-token', 'verify-token-claims', 'save'),
    [
      ['A05', '|| Object.keys(others).some(isCritical)'],
      ['A06', "typ?.toUpperCase?.() !== 'JWT' ||"],
      ['A03', 'if (algorithm.hash.name !== hash) continue;'],
      ['A01', 'if (!isGood) continue;'],
      [
        'G08',
        '(await isExpectedPage(origin, claims)) === true',
        '!!isExpectedPage(origin, claims)',
      ],
      ['A11', 'exp >= iat && ', ''],
      ['A11', ' && exp - iat <= maxLifetimeSeconds', ''],
      ['G08', "typeof jti !== 'string' ||"],
      ['B11', '!iss ||'],
    ],
  ),
  ...controlsOf(`${adapter}/create-adapter.ts`, tests('get-token', 'create-adapter'), [
    [
      'G10',
      'Math.max(performance.now() - startedAt, Date.now() - startedAtDate)',
      'Date.now() - startedAtDate',
    ],
    ['G10', 'leftMs <= 0 ||'],
    ['I12', "if (signal.aborted) fail('ERR_ABORTED', 'Aborted', signal.reason);"],
  ]),
];
