/** The platform's save button, forged, replayed, and answered by plug-ins that misbehave. */
import { attackSources } from '../world.ts';
import type { Case, Group, Save } from './case.ts';

/** These cases need an adapter that uses the returned answer; with a callback, the caller is responsible. */
const needs = 'returned-answer' as const;
const good = '{"color":"blue"}';

/** Requests are numbered from 0 by their jti; answers are listed as `jti=data`. */
function asking(name: string, expected: string, saves: Save[], more: Partial<Case> = {}): Case {
  return { name, expected, saves, onSave: () => ({ color: 'blue' }), ...more };
}

const refused: [what: string, save: Save][] = [
  ['unsigned', { signer: 'nobody', header: { alg: 'none' } }],
  ['signed by a stranger', { signer: 'stranger' }],
  [
    'with a stranger’s key at a stranger’s host',
    { signer: 'stranger', jku: ({ strangerKeys }) => `${strangerKeys}/stranger` },
  ],
  ['of another user', { claims: { 'ctx.userId': 'user-2' } }],
  ['of another tenant', { claims: { 'ctx.tenantId': 'tenant-2' } }],
  ['of another issuer', { claims: { iss: 'https://other.example' } }],
  ['without a jti', { claims: { jti: undefined } }],
  ['with a number as jti', { claims: { jti: 7 } }],
  ['of no user', { claims: { 'ctx.userId': undefined } }],
  ['with sub init', { claims: { sub: 'init' } }],
  ['with sub access_token', { claims: { sub: 'access_token' } }],
  ['of an hour ago', { claims: (iat) => ({ iat: iat - 3660, exp: iat - 3600 }) }],
  ['of tomorrow', { claims: (iat) => ({ iat: iat + 86_400, exp: iat + 86_460 }) }],
  ['as an object', { change: () => ({ sub: 'save', jti: '0' }) }],
  ['as junk', { change: () => 'a.b.c' }],
  ['of a million letters', { change: (token) => token + 'A'.repeat(1_000_000) }],
  ['with __proto__', { claims: { 'ctx.__proto__.x': 1 } }],
  ...attackSources.map((from): [string, Save] => [
    `from ${from === 'nobody' ? 'no window' : `a window that is ${from}`}`,
    { from },
  ]),
];

export const saves: Group = {
  title: 'only the platform’s own save is answered, once',
  cases: [
    ...refused.map(([what, save]) =>
      asking(`a save ${what} is not answered`, 'no answer', [save], {
        page: { alone: save.from === 'popup', isFar: !!save.from },
      }),
    ),
    asking('a good save is answered', `0=${good}`, [{}]),
    asking('a good save without a tenant id is answered', `0=${good}`, [
      { claims: { 'ctx.tenantId': undefined } },
    ]),
    asking('a save that is sent three times is answered once', `0=${good}`, [
      {},
      { claims: { jti: '0' } },
      { claims: { jti: '0' } },
    ]),
    asking('two saves are answered each', `0=${good} 1=${good}`, [{}, {}]),
    asking('a good save after a forged one of the same jti is answered', `0=${good}`, [
      { signer: 'stranger' },
      { claims: { jti: '0' } },
    ]),
    asking('true leaves the configuration as it is', '0=true', [{}], { onSave: () => true }),
    asking('false refuses', '0=false', [{}], { onSave: () => false }),
    asking('a handler that throws refuses', '0=false', [{}], {
      needs,
      onSave: () => {
        throw new Error('x');
      },
    }),
    asking('a handler that rejects refuses', '0=false', [{}], {
      needs,
      onSave: () => Promise.reject(new Error('x')),
    }),
    asking('a handler that throws nothing refuses', '0=false', [{}], {
      needs,
      onSave: () => Promise.reject(),
    }),
    asking('a configuration that cannot be sent refuses', '0=false', [{}], {
      needs,
      onSave: () => ({ send: () => true }),
    }),
    asking('a handler that never answers refuses in time', '0=false', [{}], {
      needs,
      onSave: () => new Promise(() => {}),
      page: { timeLapse: 50 },
    }),
    asking('a configuration that changes after it was given is sent as given', `0=${good}`, [{}], {
      onSave: () => {
        const config = { color: 'blue' };
        setTimeout(() => Object.assign(config, { color: 'red' }));
        return config;
      },
    }),
  ],
};
