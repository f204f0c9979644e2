/** Mistakes of the plug-in's author, and a back end that forwards the token. */
import type { Case, Group } from './case.ts';

type Options = ReturnType<NonNullable<Case['options']>>;

function slip(name: string, options: object): Case {
  return {
    name: `the option ${name} is refused`,
    expected: 'ERR_OPTIONS',
    // The page's own host has a key there that would verify the token.
    forgery: { signer: 'stranger', jku: () => 'null/stranger' },
    options: () => options as Options,
    needs: 'options',
  };
}

const slips: Case[] = [
  slip('jkuOrigins without a scheme', { jkuOrigins: ['localhost:9000'] }),
  slip('jkuOrigins null', { jkuOrigins: ['null'] }),
  slip('jkuOrigins with a path', { jkuOrigins: ['https://keys.example/path'] }),
  slip('jkuOrigins as a text', { jkuOrigins: 'https://keys.example' }),
  slip('jkuOrigin, which nobody knows', { jkuOrigin: ['https://keys.example'] }),
  slip('issuer, which nobody knows', { issuer: 'https://tenant.example' }),
  slip('issuers with a key in place of keys', {
    issuers: [{ issuer: 'https://tenant.example', key: {} }],
  }),
  slip('parentOrigin without a scheme', { parentOrigin: 'localhost:9000' }),
  slip('clockToleranceMs NaN', { clockToleranceMs: Number.NaN }),
  slip('sessionUrl without a scheme', { sessionUrl: 'localhost:9000/api/session' }),
];

/** The untrusted host counts its requests. */
const redirected: Case = {
  name: 'a session that is redirected takes the init token nowhere',
  expected: 'first ERR_NETWORK',
  options: ({ origins: { keys, strangerKeys } }) => ({
    sessionUrl: `${keys}/redirect-307?${encodeURIComponent(`${strangerKeys}/session`)}`,
  }),
  plugin: async ({ init, openSession }) => `${await init()} ${await openSession()}`,
  needs: 'session',
};

export const options: Group = {
  title: 'a slip in an option believes nobody, and no redirect is followed with a token',
  cases: [
    ...slips,
    redirected,
    {
      ...redirected,
      name: 'a session that is not redirected is opened',
      expected: 'first session',
      options: ({ origins: { keys } }) => ({ sessionUrl: `${keys}/session` }),
    },
  ],
};
