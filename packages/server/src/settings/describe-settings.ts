/**
 * The settings that are in effect, from options, environment and defaults, for operators and owners. No value is a
 * secret: a `Secret` is only "set", and the URL of the database keeps host, port, name, user and `sslmode`. What is
 * hidden does not depend on names such as `*_SECRET`: a new setting could be forgotten.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Setting, SettingNote } from '@dowel/admin-api';
import { defaultPostgresConnections, type EngineLocation } from '@dowel/installation-store';
import { describeRules } from '@dowel/platform-jwt';
import { describeApiOrigins, Secret } from '@dowel/schema';
import { describeMailServer, describeWebhook } from '../alerts/alert-settings.ts';
import { type HookPolicy, hookPolicyLabels, readHookPolicy } from '../hooks/policy.ts';
import type { ServedPlugin } from '../served-plugin.ts';
import type { PluginOptions, ServerOptions } from '../server-options.ts';
import { type Configuration, findSource, valueAt } from './read-configuration.ts';
import type { SettingRow } from './setting-row.ts';
import { splitServers } from './setting-values.ts';
import { type SettingName, settingNames, settings } from './settings.ts';

export interface EffectiveFacts {
  configuration: Configuration;
  options: ServerOptions;
  plugins: readonly ServedPlugin[];
  /** The port of `start()`; undefined when a host framework listens. */
  port: number | undefined;
}

/** Undefined: not set, or without effect. */
type ShownValue = string | number | readonly string[] | Secret | undefined;

/** The settings that are not shown as they are. */
const shown: Partial<Record<SettingName, (facts: EffectiveFacts) => ShownValue>> = {
  DOWEL_PORT: ({ configuration, port }) => String(port ?? configuration.port),
  DOWEL_MANIFEST: listManifests,
  DOWEL_LOG_LEVEL: ({ configuration, options }) => (options.log ? undefined : configuration.log),
  DOWEL_TRUST: ({ configuration }) => describeRules(configuration.trust),
  DOWEL_EVENT_PATH: ({ configuration, plugins }) =>
    configuration.eventPath ??
    listDistinct(plugins, ({ addresses }) => addresses.map(({ url }) => url.href)),
  DOWEL_ESSENTIAL_SCOPES: ({ configuration, plugins }) =>
    configuration.essentialScopes ??
    listDistinct(plugins, ({ manifest }) => manifest.apiAccess?.client.scope ?? []),
  DOWEL_API_ORIGINS: ({ configuration }) => describeApiOrigins(configuration.apiOrigins),
  // The braces, should the profile encode them.
  DOWEL_NOTIFICATION_PATH: ({ configuration: { profile } }) =>
    decodeURI(profile.notificationPath('{pluginId}', '{instanceId}')),
  DOWEL_OIDC_ROLES: ({ configuration: { dashboard } }) =>
    dashboard.oidc?.roles.map(({ role, value }) => `${role}=${value}`),
  DOWEL_ALERT_WEBHOOK_URL: ({ configuration: { alerts } }) =>
    alerts.webhook && describeWebhook(alerts.webhook),
  DOWEL_ALERT_WEBHOOK_SECRET: ({ configuration: { alerts } }) => alerts.webhook?.key,
  DOWEL_ALERT_SMTP_URL: ({ configuration: { alerts } }) =>
    alerts.mail && describeMailServer(alerts.mail.server),
  DOWEL_CONNECTIONS_PER_ADDRESS: ({ configuration: { proxyHops, limits } }) =>
    proxyHops > 0 ? undefined : limits.connectionsPerAddress,
  DOWEL_NOTIFICATIONS_PER_SESSION: ({ configuration: { limits } }) =>
    limits.notificationsPerSession ?? limits.notificationsPerUser,
  DOWEL_DATABASE_URL: ({ configuration: { database } }) => describeLocation(database).text,
  DOWEL_POSTGRES_CONNECTIONS: ({ configuration: { database } }) =>
    'url' in database ? (database.connections ?? defaultPostgresConnections) : undefined,
  DOWEL_DATA_DIR: ({ configuration: { database } }) =>
    'path' in database ? dirname(database.path) : undefined,
};

const notes: Partial<Record<SettingName, (facts: EffectiveFacts) => SettingNote | false>> = {
  DOWEL_LOG_LEVEL: ({ options }) => options.log !== undefined && 'ownLog',
  DOWEL_PLUGIN_IDS: ({ configuration }) => configuration.pluginIds.length === 0 && 'any',
  DOWEL_EVENT_PATH: ({ configuration }) => !configuration.eventPath && 'fromManifest',
  DOWEL_ESSENTIAL_SCOPES: ({ configuration }) => !configuration.essentialScopes && 'fromManifest',
  DOWEL_ALERT_WEBHOOK_URL: ({ configuration: { alerts } }) =>
    alerts.webhook !== undefined && 'withoutPath',
  DOWEL_ALERT_SMTP_URL: ({ configuration: { alerts } }) =>
    alerts.mail?.server.password !== undefined && 'withPassword',
  DOWEL_CONNECTIONS_PER_ADDRESS: ({ configuration }) =>
    configuration.proxyHops > 0 && 'behindProxy',
  DOWEL_DATABASE_URL: ({ configuration: { database } }) =>
    describeLocation(database).hasPassword && 'withPassword',
  DOWEL_POSTGRES_CONNECTIONS: ({ configuration: { database } }) =>
    'path' in database && 'otherDatabase',
  DOWEL_DATA_DIR: ({ configuration: { database } }) => 'url' in database && 'otherDatabase',
};

/** Returns all settings in the order of the page, then the hook policy. */
export function describeSettings(facts: EffectiveFacts): Setting[] {
  return [
    ...settingNames.map((name) => describeSetting(name, facts)),
    ...describeHookPolicy(facts.options),
  ];
}

function describeSetting(name: SettingName, facts: EffectiveFacts): Setting {
  const { group, label, option, unit, isOfStart }: SettingRow = settings[name];
  const isUnused = isOfStart && facts.port === undefined;
  const value = isUnused ? undefined : shownValue(name, facts);
  return {
    name,
    label,
    group,
    option,
    values: textsOf(value),
    unit: unit ?? (typeof value === 'number' ? 'count' : null),
    secret: value instanceof Secret ? { fingerprint: fingerprintOf(name, value) } : null,
    source: findSource(name, facts.options),
    note: (isUnused ? 'hostListens' : notes[name]?.(facts)) || null,
  };
}

/** Returns the value that operators may see, in the unit of the variable. */
function shownValue(name: SettingName, facts: EffectiveFacts): ShownValue {
  const show = shown[name];
  if (show) return show(facts);
  const { option, unitMs = 1 }: SettingRow = settings[name];
  const value = valueAt(facts.configuration, option) as ShownValue;
  return typeof value === 'number' ? value / unitMs : value;
}

/** The hook policy has no variables, only options. */
function describeHookPolicy({ hookPolicy = {} }: ServerOptions): Setting[] {
  return Object.entries(readHookPolicy(hookPolicy)).map(([name, value]) => ({
    name: `hookPolicy.${name}`,
    label: hookPolicyLabels[name as keyof HookPolicy],
    group: 'hooks',
    option: `hookPolicy.${name}`,
    values: textsOf(typeof value === 'number' ? value : value.map(String)),
    unit: name.endsWith('Ms') ? 'ms' : 'count',
    secret: null,
    source: hookPolicy[name as keyof HookPolicy] === undefined ? 'default' : 'option',
    note: null,
  }));
}

function textsOf(value: ShownValue): string[] {
  if (value === undefined || value instanceof Secret) return [];
  return typeof value === 'object' ? [...value] : [String(value)];
}

function listDistinct(
  plugins: readonly ServedPlugin[],
  read: (plugin: ServedPlugin) => readonly string[],
): string[] {
  return [...new Set(plugins.flatMap(read))];
}

/** The files; a manifest that the program has in memory is named by its plug-in. */
function listManifests({ configuration, options, plugins }: EffectiveFacts): string[] {
  const given: PluginOptions[] = 'plugins' in options ? Object.values(options.plugins) : [options];
  return given.map(({ manifest = configuration.manifest }, index) =>
    typeof manifest === 'string' || manifest instanceof URL
      ? String(manifest)
      : (plugins[index]?.manifest.name.en ?? 'manifest'),
  );
}

/** Parameters of a PostgreSQL URL that say where the database is, and no secret. */
const plainParameters = ['host', 'port', 'sslmode', 'target_session_attrs'];

/** The location without its password, and without parameters that could hold one. */
function describeLocation(database: EngineLocation): { text?: string; hasPassword: boolean } {
  if (!('url' in database)) return { hasPassword: false };
  const first = splitServers(database.url);
  const url = new URL(first.url);
  const hasPassword = url.password !== '' || url.searchParams.has('password');
  const plain = [...url.searchParams].filter(([name]) => plainParameters.includes(name));
  url.search = String(new URLSearchParams(plain));
  const user = url.username && `${url.username}@`;
  return {
    text: `${url.protocol}//${user}${first.servers}${url.pathname}${url.search}`,
    hasPassword,
  };
}

/** A person may have chosen a shorter secret. */
const minRandomLength = 32;
const minDifferent = 16;

/**
 * Tells operators whether two processes have the same secret. Null for one that somebody may have chosen: with
 * its fingerprint, anybody who sees the page could check guesses without Dowel. It is not keyed with the encryption
 * key: it would change with each rotation.
 */
export function fingerprintOf(name: string, secret: Secret): string | null {
  const text = secret.reveal();
  if (text.length < minRandomLength || new Set(text).size < minDifferent) return null;
  const digest = createHash('sha256').update(`dowel setting ${name}\0`).update(text).digest('hex');
  return digest.slice(0, 8);
}
