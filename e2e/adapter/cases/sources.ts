/** Good tokens from windows and pages that are not the host. */
import { attackSources } from '../world.ts';
import type { Case, Group } from './case.ts';

const windowNames = {
  sibling: 'a frame beside this one',
  popup: 'a popup of the host',
  child: 'a frame inside this one',
  self: 'the plug-in’s own window',
  nobody: 'no window',
};

const windows = attackSources.flatMap((from): Case[] => {
  const page = { alone: from === 'popup', isFar: true };
  return [
    {
      page,
      name: `a good token from ${windowNames[from]} is passed over`,
      expected: 'ERR6',
      timeoutMs: 1500,
      act: async ({ attack, sign }) => attack({ from, data: await sign({}) }),
    },
    {
      page,
      name: `a forged token from ${windowNames[from]} is passed over, and the host’s good one counts`,
      expected: 'later',
      act: async ({ attack, send, sign }) => {
        await attack({ from, data: await sign({ signer: 'stranger' }) });
        send(await sign({ claims: { 'ctx.userName': 'later' } }));
      },
    },
  ];
});

export const sources: Group = {
  title: 'only the host around this page is heard',
  cases: [
    ...windows,
    {
      name: 'a stranger’s page with a good token is refused',
      expected: 'ERR3',
      page: { host: 'stranger' },
    },
    {
      name: 'a stranger’s page with a token of its own is refused',
      expected: 'ERR2',
      page: { host: 'stranger' },
      forgery: { signer: 'stranger', iss: ({ stranger }) => stranger },
    },
    {
      name: 'the tenant’s page in a sandbox is nobody',
      expected: 'ERR3',
      page: { host: 'sandboxed' },
    },
    {
      name: 'a host outside parentOrigin is refused',
      expected: 'ERR3',
      options: () => ({ parentOrigin: 'https://other.example' }),
      needs: 'parentOrigin',
    },
    {
      name: 'a host that parentOrigin refuses by function is refused',
      expected: 'ERR3',
      options: () => ({ parentOrigin: (origin) => origin === 'null' }),
      needs: 'parentOrigin',
    },
    ...[async () => false, () => 'yes', async () => 1, () => Promise.reject(new Error('down'))].map(
      (parentOrigin, index): Case => ({
        name: `a host for which parentOrigin gives anything but true is refused (${index + 1})`,
        expected: 'ERR3',
        options: () => ({ parentOrigin: parentOrigin as () => never }),
        needs: 'parentOrigin',
      }),
    ),
    {
      name: 'a stranger’s page that parentOrigin takes by a promise is good',
      expected: 'first',
      page: { host: 'stranger' },
      options: () => ({ parentOrigin: async () => true }),
      needs: 'parentOrigin',
    },
    {
      name: 'a stranger’s page that parentOrigin lists is good',
      expected: 'first',
      page: { host: 'stranger' },
      options: ({ origins }) => ({ parentOrigin: ['https://other.example', origins.stranger] }),
      needs: 'parentOrigin',
    },
  ],
};
