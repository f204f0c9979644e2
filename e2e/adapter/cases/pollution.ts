/** Claims that would change prototypes, and texts that would run as HTML. */
import type { Case, Expected, Forgery, Group } from './case.ts';

function payload(name: string, expected: Expected, json: string): Case {
  const payloadText = (good: string) => `${good.slice(0, -1)},${json}}`;
  return {
    name: `${name} is ${expected === 'first' ? 'harmless' : 'refused'}`,
    expected,
    forgery: { payloadText },
  };
}

export const pollution: Group = {
  title: 'no claim reaches a prototype',
  cases: [
    payload('ctx.__proto__', 'ERR3', '"ctx.__proto__":{"polluted":true}'),
    payload('ctx.__proto__.polluted', 'ERR3', '"ctx.__proto__.polluted":true'),
    payload('__proto__', 'ERR3', '"__proto__":{"polluted":true}'),
    payload('__proto__.polluted', 'ERR3', '"__proto__.polluted":true'),
    payload('constructor.prototype.polluted', 'ERR3', '"constructor.prototype.polluted":true'),
    payload(
      'ctx.constructor.prototype.polluted',
      'ERR3',
      '"ctx.constructor.prototype.polluted":true',
    ),
    payload('cfg.constructor', 'ERR3', '"cfg.constructor":{"prototype":{"polluted":true}}'),
    payload('__proto__ inside cfg', 'ERR3', '"cfg":{"__proto__":{"polluted":true}}'),
    payload(
      '__proto__ deep inside cfg.items',
      'ERR3',
      '"cfg.items":[{"a":{"__proto__":{"polluted":true}}}]',
    ),
    payload('__proto__ by an escape', 'ERR3', '"cfg":{"\\u005f_proto__":{"polluted":true}}'),
    payload('ctx.toString', 'ERR3', '"ctx.toString":"x"'),
    payload('ctx.valueOf as an object', 'ERR3', '"ctx.valueOf":{}'),
    payload('hasOwnProperty', 'ERR3', '"hasOwnProperty":"x"'),
    payload('ctx.__defineGetter__', 'ERR3', '"ctx.__defineGetter__":"x"'),
    payload('a name with many dots', 'first', `"${'a.'.repeat(1000)}a":1`),
    payload('a name of one dot', 'first', '".":1'),
    payload('the name then, which would make a promise of it', 'first', '"then":1,"ctx.then":1'),
  ],
};

const script = '<svg onload="window.pwned=1"><img src=x onerror="window.pwned=1">';

function injecting(
  where: string,
  expected: Expected,
  forgery: Forgery,
  more?: Partial<Case>,
): Case[] {
  return [undefined, 'strict' as const].map((csp) => ({
    name: `a script in ${where} is shown as text${csp ? ' under a strict CSP with Trusted Types' : ''}`,
    expected,
    forgery,
    ...more,
    page: { csp },
  }));
}

export const injection: Group = {
  title: 'no text of the other side runs as a script',
  cases: [
    ...injecting(
      'iss',
      'ERR1',
      { claims: { iss: script } },
      { options: ({ origins }) => ({ issuers: [{ issuer: origins.tenant }] }) },
    ),
    ...injecting('jku', 'ERR8', { jku: () => script }),
    ...injecting('the path of the key', 'ERR7', { jku: ({ keys }) => `${keys}/404?${script}` }),
    ...injecting('the key document', 'ERR7', { jku: ({ keys }) => `${keys}/script` }),
    ...injecting('the name of a claim', 'ERR3', { claims: { [`ctx.${script}.__proto__`]: 1 } }),
    ...injecting('sub', 'ERR3', { claims: { sub: script } }),
    ...injecting('alg', 'ERR2', { header: { alg: script } }),
    ...injecting('the algorithm of the key', 'ERR7', { jku: ({ keys }) => `${keys}/script-alg` }),
    ...injecting('the user’s name, believed and kept', script, {
      claims: { 'ctx.userName': script },
    }),
  ],
};
