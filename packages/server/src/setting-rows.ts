/**
 * Reads each setting's value in effect, and assigns it to a group of the page. TypeScript checks that each name
 * of `@dowel/settings` is here.
 */
import { dirname } from 'node:path';
import { defaultPostgresConnections, type EngineLocation } from '@dowel/installation-store';
import { describeRules } from '@dowel/platform-jwt';
import {
  describeApiOrigins,
  type Secret,
  type Setting,
  type SettingGroup,
  type SettingNote,
} from '@dowel/schema';
import type { BackEndSetting, StoreSetting } from '@dowel/settings';
import { describeMailServer, describeWebhook } from './alerts/alert-settings.ts';
import type { Configuration } from './read-options.ts';
import type { ServedPlugin } from './served-plugin.ts';
import type { PluginOptions, ServerOptions } from './server-options.ts';

export interface EffectiveFacts {
  configuration: Configuration;
  options: ServerOptions;
  plugins: readonly ServedPlugin[];
  /** The port of `start()`; undefined when a host framework listens. */
  port: number | undefined;
}

/** Undefined: not set, or without effect. */
export type SettingValue = string | number | readonly string[] | Secret | undefined;

export interface SettingRow {
  group: SettingGroup;
  read: (facts: EffectiveFacts) => SettingValue;
  unit?: Setting['unit'];
  note?: (facts: EffectiveFacts) => SettingNote | undefined;
  /** Only `start()` uses it. */
  isOfStart?: true;
}

/** The rows in the order of the page. */
export const settingRows: Readonly<Record<StoreSetting | BackEndSetting, SettingRow>> = {
  DOWEL_PUBLIC_URL: { group: 'server', read: ({ configuration }) => configuration.publicUrl },
  DOWEL_ADMIN_ORIGIN: {
    group: 'server',
    read: ({ configuration: { adminUrl, publicUrl } }) =>
      adminUrl === publicUrl ? undefined : new URL(adminUrl).origin,
  },
  DOWEL_HOST: { group: 'server', read: ({ configuration }) => configuration.host, isOfStart: true },
  DOWEL_PORT: {
    group: 'server',
    read: ({ configuration, port }) => String(port ?? configuration.port),
    isOfStart: true,
  },
  DOWEL_PROXY_HOPS: { group: 'server', read: ({ configuration }) => configuration.proxyHops },
  DOWEL_INTERNAL_HOSTS: {
    group: 'server',
    read: ({ configuration }) => configuration.internalHosts,
  },
  DOWEL_MANIFEST: { group: 'server', read: listManifests },
  DOWEL_KEEP_ALIVE_SECONDS: {
    group: 'server',
    read: ({ configuration }) => configuration.keepAliveTimeoutMs / 1_000,
    unit: 's',
    isOfStart: true,
  },
  DOWEL_DRAIN_MS: {
    group: 'server',
    read: ({ configuration }) => configuration.drainMs,
    unit: 'ms',
    isOfStart: true,
  },
  DOWEL_STOP_GRACE_MS: {
    group: 'server',
    read: ({ configuration }) => configuration.stopGraceMs,
    unit: 'ms',
  },
  DOWEL_LOG_LEVEL: {
    group: 'server',
    read: ({ configuration, options }) => (options.log ? undefined : configuration.logLevel),
    note: ({ options }) => (options.log ? 'ownLog' : undefined),
  },
  DOWEL_TRUST: {
    group: 'events',
    read: ({ configuration }) => describeRules(configuration.trustRules),
  },
  DOWEL_PLUGIN_IDS: {
    group: 'events',
    read: ({ configuration }) => configuration.pluginIds,
    note: ({ configuration }) => (configuration.pluginIds.length === 0 ? 'any' : undefined),
  },
  DOWEL_AUDIENCE: { group: 'events', read: ({ configuration }) => configuration.audience },
  DOWEL_EVENT_PATH: {
    group: 'events',
    read: ({ configuration, plugins }) =>
      configuration.eventPath ??
      listDistinct(plugins, ({ addresses }) => addresses.map(({ url }) => url.href)),
    note: ({ configuration }) => (configuration.eventPath ? undefined : 'fromManifest'),
  },
  DOWEL_ESSENTIAL_SCOPES: {
    group: 'events',
    read: ({ configuration, plugins }) =>
      configuration.essentialScopes ??
      listDistinct(plugins, ({ manifest }) => manifest.apiAccess?.client.scope ?? []),
    note: ({ configuration }) => (configuration.essentialScopes ? undefined : 'fromManifest'),
  },
  DOWEL_API_ORIGINS: {
    group: 'platform',
    read: ({ configuration }) => describeApiOrigins(configuration.apiOrigins),
  },
  DOWEL_REFRESH_PLACEMENT: {
    group: 'platform',
    read: ({ configuration }) => configuration.profile.refreshPlacement,
  },
  DOWEL_BASIC_ENCODING: {
    group: 'platform',
    read: ({ configuration }) => configuration.profile.basicEncoding,
  },
  DOWEL_NOTIFICATION_PATH: {
    group: 'platform',
    // The braces, should the profile encode them.
    read: ({ configuration: { profile } }) =>
      decodeURI(profile.notificationPath('{pluginId}', '{instanceId}')),
  },
  DOWEL_SESSION_NONCE: {
    group: 'sessions',
    read: ({ configuration }) => configuration.sessionNonce,
  },
  DOWEL_UNMATCHED_PAGES: {
    group: 'sessions',
    read: ({ configuration }) => configuration.unmatchedPages,
  },
  DOWEL_OIDC_ISSUER: { group: 'signIn', read: ({ configuration }) => configuration.oidc?.issuer },
  DOWEL_OIDC_CLIENT_ID: {
    group: 'signIn',
    read: ({ configuration }) => configuration.oidc?.clientId,
  },
  DOWEL_OIDC_CLIENT_SECRET: {
    group: 'signIn',
    read: ({ configuration }) => configuration.oidc?.clientSecret,
  },
  DOWEL_OIDC_SCOPE: { group: 'signIn', read: ({ configuration }) => configuration.oidc?.scope },
  DOWEL_OIDC_ROLE_CLAIM: {
    group: 'signIn',
    read: ({ configuration }) => configuration.oidc?.roleClaim,
  },
  DOWEL_OIDC_ROLES: { group: 'signIn', read: listRoles },
  DOWEL_ALERTS: { group: 'alerts', read: ({ configuration }) => configuration.alerts.rules },
  DOWEL_ALERT_BROKEN_MINUTES: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.brokenForMs / 60_000,
    unit: 'minutes',
  },
  DOWEL_ALERT_BROKEN_PERCENT: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.brokenPercent,
    unit: 'percent',
  },
  DOWEL_ALERT_REFUSED_PER_MINUTE: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.refusedPerMinute,
    unit: 'perMinute',
  },
  DOWEL_ALERT_REMINDER_HOURS: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.remindAfterMs / 3_600_000,
    unit: 'hours',
  },
  DOWEL_ALERT_WEBHOOK_URL: {
    group: 'alerts',
    read: ({ configuration: { alerts } }) => alerts.webhook && describeWebhook(alerts.webhook),
    note: ({ configuration: { alerts } }) => alerts.webhook && 'withoutPath',
  },
  DOWEL_ALERT_WEBHOOK_SECRET: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.webhook?.key,
  },
  DOWEL_ALERT_SMTP_URL: {
    group: 'alerts',
    read: ({ configuration: { alerts } }) => alerts.mail && describeMailServer(alerts.mail.server),
    note: ({ configuration: { alerts } }) =>
      alerts.mail?.server.password ? 'withPassword' : undefined,
  },
  DOWEL_ALERT_MAIL_FROM: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.mail?.from,
  },
  DOWEL_ALERT_MAIL_TO: {
    group: 'alerts',
    read: ({ configuration }) => configuration.alerts.mail?.to,
  },
  DOWEL_CONNECTIONS: {
    group: 'limits',
    read: ({ configuration }) => configuration.maxConnections,
    isOfStart: true,
  },
  DOWEL_CONNECTIONS_PER_ADDRESS: {
    group: 'limits',
    read: ({ configuration }) =>
      configuration.proxyHops > 0 ? undefined : configuration.connectionsPerAddress,
    note: ({ configuration }) => (configuration.proxyHops > 0 ? 'behindProxy' : undefined),
    isOfStart: true,
  },
  DOWEL_REFUSALS_PER_ADDRESS: perMinute((each) => each.receptionLimits.refusalsPerMinute),
  DOWEL_NONCES_PER_ADDRESS: perMinute((each) => each.receptionLimits.noncesPerMinute),
  DOWEL_VERIFICATIONS_AT_ONCE: {
    group: 'limits',
    read: ({ configuration }) => configuration.receptionLimits.maxVerifying,
  },
  DOWEL_DECISIONS_AT_ONCE: {
    group: 'limits',
    read: ({ configuration }) => configuration.receptionLimits.maxDeciding,
  },
  DOWEL_EXCHANGES_PER_INSTALLATION: perMinute((each) => each.exchangesPerMinute),
  DOWEL_NOTIFICATIONS_PER_SESSION: perMinute(
    ({ notificationLimits: { perSessionPerMinute, perUserPerMinute } }) =>
      perSessionPerMinute ?? perUserPerMinute,
  ),
  DOWEL_NOTIFICATIONS_PER_USER: perMinute((each) => each.notificationLimits.perUserPerMinute),
  DOWEL_NOTIFICATIONS_PER_TENANT: perMinute((each) => each.notificationLimits.perTenantPerMinute),
  DOWEL_NOTIFICATIONS_PER_PROCESS: perMinute((each) => each.notificationLimits.perProcessPerMinute),
  DOWEL_DATABASE_URL: {
    group: 'storage',
    read: ({ configuration: { database } }) => describeLocation(database).text,
    note: ({ configuration: { database } }) =>
      describeLocation(database).hasPassword ? 'withPassword' : undefined,
  },
  DOWEL_POSTGRES_CONNECTIONS: {
    group: 'storage',
    read: ({ configuration: { database } }) =>
      'url' in database ? (database.connections ?? defaultPostgresConnections) : undefined,
    note: ({ configuration: { database } }) => ('url' in database ? undefined : 'otherDatabase'),
  },
  DOWEL_DATA_DIR: {
    group: 'storage',
    read: ({ configuration: { database } }) =>
      'path' in database ? dirname(database.path) : undefined,
    note: ({ configuration: { database } }) => ('path' in database ? undefined : 'otherDatabase'),
  },
  DOWEL_KEY_FILE: { group: 'storage', read: ({ configuration }) => configuration.keyFile.path },
  DOWEL_HISTORY_DAYS: {
    group: 'storage',
    read: ({ configuration }) => configuration.historyDays,
    unit: 'days',
  },
};

function perMinute(read: (configuration: Configuration) => number): SettingRow {
  return {
    group: 'limits',
    read: ({ configuration }) => read(configuration),
    unit: 'perMinute',
  };
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
  return given.map(({ manifest = configuration.manifestPath }, index) =>
    typeof manifest === 'string' || manifest instanceof URL
      ? String(manifest)
      : (plugins[index]?.manifest.name.en ?? 'manifest'),
  );
}

function listRoles({ configuration: { oidc } }: EffectiveFacts): string[] | undefined {
  return oidc?.roles.map(({ role, value }) => `${role}=${value}`);
}

/** Parameters of a PostgreSQL URL that say where the database is, and no secret. */
const plainParameters = ['host', 'port', 'sslmode'];

/** The location without its password, and without parameters that could hold one. */
function describeLocation(database: EngineLocation): { text?: string; hasPassword: boolean } {
  if (!('url' in database)) return { hasPassword: false };
  const url = new URL(database.url);
  const hasPassword = url.password !== '' || url.searchParams.has('password');
  url.password = '';
  const plain = [...url.searchParams].filter(([name]) => plainParameters.includes(name));
  url.search = String(new URLSearchParams(plain));
  url.hash = '';
  return { text: url.href, hasPassword };
}
