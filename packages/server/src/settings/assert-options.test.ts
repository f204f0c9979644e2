/** A mistake in the options is a TypeError that names the option, before anything is done. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createServer } from '../create-server.ts';
import { defineOperation } from '../operations/define-operation.ts';
import { settingNames, settings } from './settings.ts';

/** Without types, like a program in JavaScript. */
const create = (options: unknown) => createServer(options as Parameters<typeof createServer>[0]);
const oidc = (roles: object) => ({ dashboard: { directory: 'x', oidc: { roles } } });
const define = (changes: object) =>
  defineOperation({ input: z.object({}), output: z.object({}), run: () => ({}), ...changes });

test.each<[unknown, string]>([
  [undefined, 'createServer: options must be an object'],
  ['manifest.json', 'createServer: options must be an object'],
  [{ sessions: { nonces: 'required' } }, 'createServer has no option sessions.nonces'],
  [{ sessions: 'required' }, 'sessions must be an object'],
  [{ limits: 'many' }, 'limits must be an object'],
  [{ environment: null }, 'environment must be an object'],
  [{ profile: { refreshPlacment: 'body' } }, 'createServer has no option profile.refreshPlacment'],
  [
    { profile: { refreshPlacement: 'header' } },
    'profile.refreshPlacement must be "query" or "body"',
  ],
  [{ profile: { notificationPath: '/a' } }, 'profile.notificationPath must be a function'],
  [{ database: 'x.sqlite' }, 'database must be an object'],
  [{ database: {} }, 'database must have a path (SQLite) or a url (PostgreSQL)'],
  [{ keyFile: 'x.key' }, 'keyFile must be an object'],
  [{ keyFile: { production: true } }, 'keyFile.path must be a string'],
  [{ alerts: { brokenMs: 1 } }, 'createServer has no option alerts.brokenMs'],
  [{ alerts: { webhook: { uri: 'x' } } }, 'createServer has no option alerts.webhook.uri'],
  [{ dashboard: { directory: 'x', onSigninLink: 1 } }, 'no option dashboard.onSigninLink'],
  [{ dashboard: { directory: 'x', oidc: { clientID: '' } } }, 'no option dashboard.oidc.clientID'],
  [{ dashboard: { directory: 'x', oidc: {} } }, 'dashboard.oidc.roles must be an object'],
  [oidc({ owner: 'staff' }), 'dashboard.oidc.roles.owner must be an array of strings'],
  [oidc({ owner: [''] }), 'dashboard.oidc.roles.owner must be an array of strings'],
  [oidc({ admin: ['staff'] }), 'no option dashboard.oidc.roles.admin. There are: viewer'],
  [oidc({ owner: [], viewer: undefined }), 'dashboard.oidc.roles must give at least one role'],
  [{ essentialScopes: 'plugin:notify' }, 'essentialScopes must be an array of strings'],
  [{ essentialScopes: ['a,b'] }, 'essentialScopes has the entry "a,b"'],
  [{ internalHosts: 'intranet.local' }, 'internalHosts must be an array of strings'],
  [{ pluginIds: [5] }, 'pluginIds must be an array of strings'],
  [{ audience: ['a b'] }, 'audience has the entry "a b"'],
  [{ limits: { keepAliveTimeoutMs: 1_500 } }, 'must be whole seconds in milliseconds, 1,000 to'],
  [{ limits: { keepAliveTimeoutMs: 65 } }, 'limits.keepAliveTimeoutMs must be whole seconds in'],
  [{ alerts: { brokenForMs: 15 } }, 'alerts.brokenForMs must be whole minutes in milliseconds'],
  [{ alerts: { rules: 'broken' } }, 'alerts.rules must be an array of strings'],
  [{ alerts: { mail: { to: 'desk@example.com' } } }, 'alerts.mail.to must be an array of strings'],
  [{ trust: ['http://localhost=http://localhost/'] }, 'trust must be a string, such as'],
  [{ trust: {} }, 'trust must be a string, such as'],
  [{ trust: [null] }, 'trust must be a string, such as'],
  [{ stripBasePath: true }, 'stripBasePath must be "auto" or false'],
  [{ log: { info() {} } }, 'log must have a method debug'],
  [{ observe: 'x' }, 'observe must be a function'],
  [{ now: 5 }, 'now must be a function'],
  [{ fetch: 'x' }, 'fetch must be a function'],
  [{ hookPolicy: { delaysMs: 5 } }, 'hookPolicy.delaysMs must be an array of milliseconds'],
  [{ manifest: 5 }, 'manifest must be an object'],
  [{ manifest: 'https://x.example/manifest.json' }, 'manifest must be a file'],
  [{ manifest: new URL('https://x.example/manifest.json') }, 'manifest must be a file'],
  [{ hooks: null }, 'hooks must be an object'],
  [{ operations: { vote: null } }, 'operations.vote must be made by defineOperation'],
  [{ operations: [] }, 'operations must be an object'],
  [{ operations: new Map([['vote', define({})]]) }, 'operations must be an object'],
  [{ operations: { Vote: define({}) } }, 'The operation "Vote" needs another name'],
  [
    { operations: { vote: define({ limit: { perUserPerMinute: 0 } }) } },
    'vote.limit.perUserPerMinute',
  ],
  [{ userRoutes: {} }, 'userRoutes must be a function'],
  [{ plugins: null }, 'plugins must be an object'],
  [{ plugins: new Map([['polls', {}]]) }, 'plugins must be an object'],
  [{ plugins: {}, manifest: 'x' }, 'The option manifest belongs to each plug-in: write plugins'],
  [{ plugins: { polls: undefined } }, 'plugins.polls must be an object'],
])('%o: %s', (options, message) => {
  const call = () => create(options);

  expect(call).toThrow(TypeError);
  expect(call).toThrow(message);
});

test('what is undefined counts as left out, the longest time is allowed, and console is a log', () => {
  const alerts = { brokenForMs: 604_800_000, brokenPercent: undefined };
  const options = {
    sessions: undefined,
    profile: { basicEncoding: undefined },
    alerts,
    log: console,
  };

  expect(() => create(options)).not.toThrow();
});

test('each option that is a number takes one', () => {
  const rows = settingNames.map((name) => settings[name]);
  const numbers = rows.flatMap(({ option, schema, example }): [string, number][] => {
    const { data } = schema.safeParse(example);
    return typeof data === 'number' ? [[option, data]] : [];
  });

  expect(numbers.length).toBeGreaterThan(10);
  for (const [option, number] of numbers) {
    const nested = option
      .split('.')
      .reduceRight<unknown>((value, name) => ({ [name]: value }), number);
    const { database, ...options } = nested as { database?: object };
    const url = 'postgres://localhost/dowel';
    expect(() =>
      create({ ...options, ...(database && { database: { url, ...database } }) }),
    ).not.toThrow();
  }
});

test.each<[object, string]>([
  [{ timeout: 5 }, 'defineOperation has no option timeout. There are: input'],
  [{ limit: { perUserPerSecond: 1 } }, 'defineOperation has no option limit.perUserPerSecond'],
  [{ input: { choice: 'string' } }, 'input must be a schema of zod 4'],
  [{ output: undefined }, 'output must be a schema of zod 4'],
  [{ scopes: 'plugin:notify' }, 'scopes must be an array of strings'],
])('of an operation, %o: %s', (changes, message) => {
  expect(() => define(changes)).toThrow(message);
});
