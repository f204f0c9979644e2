/** Checks names and types of the options for programs in JavaScript, which have no compiler. */
import {
  assertFunction,
  assertNames,
  assertObject,
  assertOneOf,
  assertText,
  assertTexts,
  assertUnits,
  assertWords,
} from '../base/option-shapes.ts';
import { hookNames } from '../hooks/hooks.ts';
import type { HookPolicy } from '../hooks/policy.ts';
import { assertOperations } from '../operations/operation-table.ts';
import type {
  CommonOptions,
  OidcOptions,
  PluginOptions,
  ServerOptions,
} from '../server-options.ts';
import { valueAt } from './read-configuration.ts';
import type { SettingRow } from './setting-row.ts';
import { settingNames, settings } from './settings.ts';

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
const policyNames: Names<HookPolicy> = {
  timeoutMs: true,
  delaysMs: true,
  concurrency: true,
  beforeInstallMs: true,
  brokenAfterMs: true,
};
const roleNames: Names<OidcOptions['roles']> = { viewer: true, operator: true, owner: true };

type Leaf = string | number | boolean | readonly unknown[] | ((...args: never[]) => unknown);
/** Objects that are one value. */
type Whole = 'environment' | 'hookPolicy' | 'log' | 'roles' | 'trust';
/** The places of all options, such as `limits.historyDays`. */
type PlaceIn<Options, Before extends string = ''> = Options extends unknown
  ? {
      [Name in keyof Options & string]-?: Name extends Whole
        ? `${Before}${Name}`
        : NonNullable<Options[Name]> extends Leaf
          ? `${Before}${Name}`
          : PlaceIn<NonNullable<Options[Name]>, `${Before}${Name}.`>;
    }[keyof Options & string]
  : never;
type SettingPlace = (typeof settings)[keyof typeof settings]['option'];
type Check = (name: string, given: unknown) => void;

const unchecked: Check = () => {};

/** The options that are no settings. The compiler reports one that is neither here nor a setting. */
const otherOptions: Record<Exclude<PlaceIn<CommonOptions>, SettingPlace>, Check> = {
  sessionClaims: (name, given) => assertTexts(name, given ?? []),
  stripBasePath: (name, given) => assertOneOf(name, given, ['auto', false]),
  environment: (name, given) => given === undefined || assertObject(name, given),
  hookPolicy: (name, given) => assertNames(`${name}.`, given as object | undefined, policyNames),
  observe: assertFunction,
  now: assertFunction,
  fetch: assertFunction,
  'database.now': assertFunction,
  'keyFile.production': unchecked,
  'profile.instanceOf': assertFunction,
  'dashboard.directory': unchecked,
  'dashboard.onSignInLink': assertFunction,
};

/** Settings whose options need a check of their own. */
const ownChecks: Readonly<Record<string, Check>> = {
  trust: assertTrust,
  log: assertLog,
  manifest: unchecked,
  'profile.notificationPath': assertFunction,
  'dashboard.oidc.roles': unchecked,
};

const places = [...settingNames.map((name) => settings[name].option), ...Object.keys(otherOptions)];

/** @throws TypeError that names the first option that is unknown or has a wrong type */
export function assertOptions(options: ServerOptions): void {
  assertObject('createServer: options', options);
  const isOne = !('plugins' in options);
  if (!isOne) assertNoPluginOptions(options);
  assertFolder('dashboard', options.dashboard as { directory: string } | undefined);
  const own = isOne ? Object.keys(pluginNames) : ['plugins'];
  assertPlaces('', options, own);
  assertCommon(options);
  if (isOne) assertPlugin('', options);
  else assertPlugins(options.plugins);
}

/** The names at each place, such as those of `limits.`. */
function assertPlaces(before: string, given: object | undefined, others: string[] = []): void {
  const below = places.filter((place) => place.startsWith(before) && place !== 'manifest');
  const names = new Set(below.map((place) => place.slice(before.length).split('.')[0] ?? ''));
  assertNames(before, given, Object.fromEntries([...names, ...others].map((name) => [name, true])));
  for (const name of names) {
    if (!below.some((place) => place.startsWith(`${before}${name}.`))) continue;
    assertPlaces(`${before}${name}.`, (given as Record<string, object> | undefined)?.[name]);
  }
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
  for (const [place, check] of Object.entries(otherOptions)) check(place, valueAt(options, place));
  for (const name of settingNames) assertSetting(settings[name], options);
  const { database, keyFile, dashboard } = options;
  if (
    database &&
    (valueAt(database, 'path') === undefined) === (valueAt(database, 'url') === undefined)
  ) {
    throw new TypeError('database must have a path (SQLite) or a url (PostgreSQL)');
  }
  if (keyFile) assertText('keyFile.path', keyFile.path ?? null);
  if (dashboard?.oidc) assertRoles(dashboard.oidc.roles);
}

function assertSetting(
  { option, choices, isList, range, unitMs, unit }: SettingRow,
  options: CommonOptions,
): void {
  const given = valueAt(options, option);
  if (given === undefined) return;
  const check = ownChecks[option];
  if (check) check(option, given);
  else if (choices) assertOneOf(option, given, choices);
  else if (isList) assertWords(option, given);
  else if (unitMs && range) {
    assertUnits(option, given, { unit: unit === 's' ? 'seconds' : `${unit}`, unitMs, ...range });
  } else if (!range) assertText(option, given);
}

/** The rules are those of `parseTrustRules` of `@dowel/platform-jwt`. */
function assertTrust(name: string, trust: unknown): void {
  if (typeof trust === 'string') return;
  const isRules =
    Array.isArray(trust) &&
    trust.every((rule) => typeof rule === 'object' && rule !== null && 'keys' in rule);
  if (isRules) return;
  throw new TypeError(
    `${name} must be a string, such as https://*.example.com=https://keys.example.com/, several rules separated by commas`,
  );
}

function assertLog(name: string, log: unknown): void {
  for (const level of ['debug', 'info', 'warn', 'error']) {
    if (typeof valueAt(log, level) === 'function') continue;
    throw new TypeError(`${name} must have a method ${level}, as pino and console have`);
  }
}

/** A value is a string of the provider, and may contain anything, such as a group of LDAP with commas. */
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
  throw new TypeError(`${option} must be an object with a directory, a string`);
}
