/** Names and shapes of the options: JavaScript has no types that would find a slip. */

import type { Hooks } from './hooks/hooks.ts';
import type { HookPolicy } from './hooks/policy.ts';
import type { CommonOptions, Limits, PluginOptions, ServerOptions } from './server-options.ts';

/** Each name once; the compiler finds one that is missing. */
type Names<Options> = { [Name in keyof Required<Options>]: true };

const pluginNames: Names<PluginOptions> = {
  manifest: true,
  operations: true,
  hooks: true,
  frontend: true,
  userRoutes: true,
  publicRoutes: true,
};

const commonNames: Names<CommonOptions> = {
  publicUrl: true,
  host: true,
  port: true,
  trust: true,
  internalHosts: true,
  pluginIds: true,
  audience: true,
  sessions: true,
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

const hookNames: Names<Hooks> = {
  beforeInstall: true,
  installed: true,
  tokensReceived: true,
  instanceAdded: true,
  instanceRemoved: true,
  broken: true,
  recovered: true,
  uninstalled: true,
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

/** @throws TypeError that names the first option that is not known, or is not what it must be */
export function assertOptions(options: ServerOptions): void {
  const isOne = !('plugins' in options);
  const own = isOne ? pluginNames : { plugins: true };
  assertNames('', options, { ...commonNames, ...own });
  assertNames('hookPolicy.', options.hookPolicy, policyNames);
  assertNames('limits.', options.limits, limitNames);
  assertFolder('dashboard', options.dashboard);
  for (const [name, plugin] of isOne ? [['', options] as const] : Object.entries(options.plugins)) {
    const place = isOne ? '' : `plugins.${name}.`;
    if (!isOne) assertNames(place, plugin, pluginNames);
    assertPlugin(place, plugin);
  }
}

function assertPlugin(
  place: string,
  { hooks = {}, operations = {}, frontend }: PluginOptions,
): void {
  assertFolder(`${place}frontend`, frontend);
  assertNames(`${place}hooks.`, hooks, hookNames);
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook === undefined || typeof hook === 'function') continue;
    throw new TypeError(`${place}hooks.${name} must be a function`);
  }
  for (const [name, operation] of Object.entries(operations)) {
    if (typeof operation === 'object' && 'definition' in operation) continue;
    throw new TypeError(`${place}operations.${name} must be made by defineOperation`);
  }
}

function assertFolder(option: string, given: { directory: string } | undefined): void {
  if (given === undefined || typeof given.directory === 'string') return;
  throw new TypeError(`${option} must be an object with a directory, a text`);
}

/** One that is undefined counts as left out. */
function assertNames(place: string, given: object | undefined, known: object): void {
  const isKnown = (name: string) => Object.hasOwn(known, name);
  const unknown = Object.entries(given ?? {}).find(
    ([name, value]) => value !== undefined && !isKnown(name),
  );
  if (!unknown) return;
  const [name] = unknown;
  throw new TypeError(
    `createServer has no option ${place}${name}. There are: ${Object.keys(known).join(', ')}`,
  );
}
