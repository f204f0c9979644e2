/** Checks names and types of the options for programs in JavaScript, which have no compiler. */

import { timeRanges } from './configuration.ts';
import { hookNames } from './hooks/hooks.ts';
import type { HookPolicy } from './hooks/policy.ts';
import { assertOperations } from './operations/operation-table.ts';
import {
  assertFunction,
  assertNames,
  assertObject,
  assertOneOf,
  assertText,
  assertTexts,
  assertUnits,
  assertWords,
} from './option-shapes.ts';
import type {
  CommonOptions,
  Limits,
  OidcOptions,
  PluginOptions,
  ServerOptions,
} from './server-options.ts';

/** Lists each name; the compiler reports a missing one. */
type Names<Options> = { [Name in keyof Required<Options>]: true };

const pluginNames: Names<PluginOptions> = {
  manifest: true,
  operations: true,
  hooks: true,
  config: true,
  frontend: true,
  userRoutes: true,
  publicRoutes: true,
};

const frontendNames: Names<NonNullable<PluginOptions['frontend']>> = {
  directory: true,
  sandbox: true,
};

const commonNames: Names<CommonOptions> = {
  publicUrl: true,
  host: true,
  port: true,
  trust: true,
  apiOrigins: true,
  internalHosts: true,
  pluginIds: true,
  audience: true,
  sessions: true,
  sessionClaims: true,
  proxyHops: true,
  eventPath: true,
  database: true,
  keyFile: true,
  profile: true,
  essentialScopes: true,
  stripBasePath: true,
  alerts: true,
  hookPolicy: true,
  limits: true,
  dashboard: true,
  environment: true,
  log: true,
  observe: true,
  now: true,
  fetch: true,
};

const policyNames: Names<HookPolicy> = {
  timeoutMs: true,
  delaysMs: true,
  concurrency: true,
  beforeInstallMs: true,
  brokenAfterMs: true,
};

const limitNames: Names<Limits> = {
  connections: true,
  connectionsPerAddress: true,
  keepAliveTimeoutMs: true,
  listenAfterCloseMs: true,
  stopGraceMs: true,
  refusalsPerAddress: true,
  noncesPerAddress: true,
  verificationsAtOnce: true,
  decisionsAtOnce: true,
  exchangesPerInstallation: true,
  notificationsPerSession: true,
  notificationsPerUser: true,
  notificationsPerTenant: true,
  notificationsPerProcess: true,
  historyDays: true,
};

type Nested<Name extends keyof CommonOptions> = NonNullable<CommonOptions[Name]>;

const sessionNames: Names<Nested<'sessions'>> = { nonce: true, unmatched: true };
const keyFileNames: Names<Nested<'keyFile'>> = { path: true, production: true };
const databaseNames = { path: true, url: true, connections: true, now: true };
const profileNames: Names<Nested<'profile'>> = {
  refreshPlacement: true,
  basicEncoding: true,
  notificationPath: true,
  instanceOf: true,
};
const alertNames: Names<Nested<'alerts'>> = {
  rules: true,
  brokenForMs: true,
  brokenPercent: true,
  refusedPerMinute: true,
  remindAfterMs: true,
  webhook: true,
  mail: true,
};
const webhookNames = { url: true, secret: true };
const mailNames = { smtpUrl: true, from: true, to: true };
const dashboardNames: Names<Nested<'dashboard'>> = {
  directory: true,
  origin: true,
  onSignInLink: true,
  oidc: true,
};
const oidcNames: Names<OidcOptions> = {
  issuer: true,
  clientId: true,
  clientSecret: true,
  scope: true,
  roleClaim: true,
  roles: true,
};

const roleNames: Names<OidcOptions['roles']> = { viewer: true, operator: true, owner: true };
const wordLists = [
  'apiOrigins',
  'internalHosts',
  'pluginIds',
  'audience',
  'essentialScopes',
] as const;

/** @throws TypeError that names the first option that is unknown or has a wrong type */
export function assertOptions(options: ServerOptions): void {
  assertObject('What createServer takes', options);
  const isOne = !('plugins' in options);
  if (!isOne) assertNoPluginOptions(options);
  const own = isOne ? pluginNames : { plugins: true };
  assertNames('', options, { ...commonNames, ...own });
  assertCommon(options);
  if (isOne) assertPlugin('', options);
  else assertPlugins(options.plugins);
}

function assertNoPluginOptions(options: object): void {
  const name = Object.keys(options).find((each) => Object.hasOwn(pluginNames, each));
  if (name === undefined) return;
  throw new TypeError(
    `The option ${name} belongs to each plug-in: write plugins: { polls: { ${name} } }`,
  );
}

function assertPlugins(plugins: unknown): void {
  assertObject('plugins', plugins);
  for (const [name, plugin] of Object.entries(plugins)) {
    const place = `plugins.${name}.`;
    assertObject(`plugins.${name}`, plugin);
    assertNames(place, plugin, pluginNames);
    assertPlugin(place, plugin);
  }
}

function assertCommon(options: CommonOptions): void {
  assertNames('hookPolicy.', options.hookPolicy, policyNames);
  assertNames('limits.', options.limits, limitNames);
  assertNames('sessions.', options.sessions, sessionNames);
  assertNames('environment.', options.environment, options.environment ?? {});
  assertUnits('limits.keepAliveTimeoutMs', options.limits?.keepAliveTimeoutMs, {
    unit: 'seconds',
    unitMs: 1_000,
    ...timeRanges.keepAliveSeconds,
  });
  assertTexts('sessionClaims', options.sessionClaims ?? []);
  for (const name of wordLists) assertWords(name, options[name]);
  assertOneOf('stripBasePath', options.stripBasePath, ['auto', false]);
  for (const name of ['observe', 'now', 'fetch'] as const) assertFunction(name, options[name]);
  assertTrust(options.trust);
  assertLog(options.log);
  assertStorage(options);
  assertProfile(options.profile);
  assertAlerts(options.alerts);
  assertDashboard(options.dashboard);
}

/** The rules are those of `parseTrustRules` of `@dowel/platform-jwt`. */
function assertTrust(trust: CommonOptions['trust']): void {
  if (trust === undefined || typeof trust === 'string') return;
  const isRules =
    Array.isArray(trust) &&
    trust.every((rule) => typeof rule === 'object' && rule !== null && 'keys' in rule);
  if (isRules) return;
  throw new TypeError(
    'trust must be a text, such as https://*.example.com=https://keys.example.com/, several separated by commas',
  );
}

function assertLog(log: CommonOptions['log']): void {
  if (log === undefined) return;
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    if (typeof log?.[level] === 'function') continue;
    throw new TypeError(`log must have a method ${level}, as pino and console have`);
  }
}

function assertStorage({ database, keyFile }: CommonOptions): void {
  assertNames('database.', database, databaseNames);
  if (database !== undefined) {
    const texts: { path?: unknown; url?: unknown } = database;
    if ((texts.path === undefined) === (texts.url === undefined)) {
      throw new TypeError('database must have a path (SQLite) or a url (PostgreSQL)');
    }
    assertText('database.path', texts.path);
    assertText('database.url', texts.url);
  }
  assertNames('keyFile.', keyFile, keyFileNames);
  if (keyFile !== undefined) assertText('keyFile.path', keyFile.path ?? null);
}

function assertProfile(profile: CommonOptions['profile']): void {
  assertNames('profile.', profile, profileNames);
  const { refreshPlacement, basicEncoding, notificationPath } = profile ?? {};
  assertOneOf('profile.refreshPlacement', refreshPlacement, ['query', 'body']);
  assertOneOf('profile.basicEncoding', basicEncoding, ['plain', 'form']);
  assertFunction('profile.notificationPath', notificationPath);
  assertFunction('profile.instanceOf', profile?.instanceOf);
}

function assertAlerts(alerts: CommonOptions['alerts']): void {
  assertNames('alerts.', alerts, alertNames);
  assertNames('alerts.webhook.', alerts?.webhook, webhookNames);
  assertNames('alerts.mail.', alerts?.mail, mailNames);
  assertUnits('alerts.brokenForMs', alerts?.brokenForMs, {
    unit: 'minutes',
    unitMs: 60_000,
    ...timeRanges.brokenMinutes,
  });
  assertUnits('alerts.remindAfterMs', alerts?.remindAfterMs, {
    unit: 'hours',
    unitMs: 3_600_000,
    ...timeRanges.reminderHours,
  });
  assertWords('alerts.rules', alerts?.rules);
  assertWords('alerts.mail.to', alerts?.mail?.to);
}

function assertDashboard(dashboard: CommonOptions['dashboard']): void {
  assertFolder('dashboard', dashboard);
  assertNames('dashboard.', dashboard, dashboardNames);
  assertFunction('dashboard.onSignInLink', dashboard?.onSignInLink);
  const { oidc } = dashboard ?? {};
  assertNames('dashboard.oidc.', oidc, oidcNames);
  if (oidc) assertRoles(oidc.roles);
}

/** A value is a text of the provider, and may contain anything, such as a group of LDAP with commas. */
function assertRoles(roles: unknown): asserts roles is OidcOptions['roles'] {
  assertObject('dashboard.oidc.roles', roles);
  assertNames('dashboard.oidc.roles.', roles, roleNames);
  for (const [role, values] of Object.entries(roles)) {
    assertTexts(`dashboard.oidc.roles.${role}`, values);
  }
  if (Object.values(roles).some((values) => Array.isArray(values) && values.length > 0)) return;
  throw new TypeError(
    "dashboard.oidc.roles must give at least one role, such as { owner: ['dowel-owners'] }",
  );
}

function assertPlugin(place: string, plugin: PluginOptions): void {
  const { manifest, hooks, operations, frontend } = plugin;
  assertManifest(`${place}manifest`, manifest);
  assertFolder(`${place}frontend`, frontend);
  assertNames(`${place}frontend.`, frontend, frontendNames);
  assertOneOf(`${place}frontend.sandbox`, frontend?.sandbox, [true, false]);
  for (const name of ['userRoutes', 'publicRoutes'] as const) {
    assertFunction(`${place}${name}`, plugin[name]);
  }
  assertNames(`${place}hooks.`, hooks, hookNames);
  for (const [name, hook] of Object.entries(hooks ?? {})) {
    assertFunction(`${place}hooks.${name}`, hook);
  }
  if (operations !== undefined) assertObject(`${place}operations`, operations);
  for (const [name, operation] of Object.entries(operations ?? {})) {
    if (typeof operation === 'object' && operation !== null && 'definition' in operation) continue;
    throw new TypeError(`${place}operations.${name} must be made by defineOperation`);
  }
  assertOperations(operations ?? {});
}

function assertManifest(name: string, manifest: PluginOptions['manifest']): void {
  if (manifest === undefined) return;
  if (typeof manifest !== 'string') assertObject(name, manifest);
  const isRemote =
    manifest instanceof URL ? manifest.protocol !== 'file:' : /^https?:/.test(String(manifest));
  if (isRemote) throw new TypeError(`${name} must be a file, the URL of a file, or the manifest`);
}

function assertFolder(option: string, given: { directory: string } | undefined): void {
  if (given === undefined || typeof given?.directory === 'string') return;
  throw new TypeError(`${option} must be an object with a directory, a text`);
}
