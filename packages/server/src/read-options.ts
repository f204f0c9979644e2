/** The configuration of a server: its options, then the environment, then the defaults. */
import { dirname, resolve } from 'node:path';
import type { EngineLocation } from '@dowel/installation-store';
import { operatorRoleSchema } from '@dowel/schema';
import { type Config, ConfigError, readConfig } from './configuration.ts';
import type { RoleRule } from './dashboard/oidc-settings.ts';
import { givenOf } from './option-shapes.ts';
import type { CommonOptions, OidcOptions, ServerOptions } from './server-options.ts';
import { url } from './setting-values.ts';

/** The source of a value, for the log. */
export type Source = 'option' | 'environment' | 'default';

export interface Configuration extends Config {
  /** '' or `/base`. */
  basePath: string;
  stripBasePath: 'auto' | false;
}

type Texts = Record<string, string | undefined>;

/** An option and the variable that has the same meaning. Both go through one schema. */
interface Setting {
  option: string;
  variable: string;
  text: string | undefined;
}

/** @throws ConfigError with one line for each option or variable that is wrong. */
export function readOptions(options: CommonOptions): Configuration {
  const { environment = process.env } = options;
  const settings = listSettings(options);
  const given = settings.filter(({ text }) => text !== undefined);
  const texts = Object.fromEntries(given.map(({ variable, text }) => [variable, text]));
  const roles = readRoles(options);
  const config = readTexts(
    { ...withoutReplaced(options, environment), ...texts },
    { given, roles, options },
  );
  return {
    ...config,
    ...chooseDatabase(options, config),
    ...(typeof options.trust === 'object' && { trustRules: [...options.trust] }),
    profile: { ...config.profile, ...givenOf(options.profile) },
    ...placeOf(config.publicUrl, options),
  };
}

/** What an option replaces is not read, so it may be wrong. */
function withoutReplaced(options: CommonOptions, environment: Texts): Texts {
  const all = [...listSettings(options), ...listTyped(options)];
  const replaced = all.filter(({ text }) => text !== undefined);
  const names = new Set(replaced.flatMap(({ variable }) => [variable, `${variable}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}

/**
 * The part of the configuration that is needed before `open`, without I/O. Undefined: the public URL cannot be used, as
 * `open` will say.
 */
export function readPlace(
  options: CommonOptions,
): Pick<Configuration, 'basePath' | 'stripBasePath'> | undefined {
  const { publicUrl, environment = process.env } = options;
  const text = publicUrl ?? environment.DOWEL_PUBLIC_URL;
  // The default has no path.
  if (!text) return placeOf('http://localhost', options);
  const parsed = url.safeParse(text);
  return parsed.success ? placeOf(parsed.data, options) : undefined;
}

function placeOf(publicUrl: string, { stripBasePath = 'auto' }: CommonOptions) {
  return { basePath: new URL(publicUrl).pathname.replace(/\/$/, ''), stripBasePath };
}

/** Names and sources of all settings, without their values, which may be private. */
export function describeSources(options: CommonOptions): Record<string, Source> {
  const all = [...listSettings(options), ...listTyped(options)];
  return Object.fromEntries(
    all.map(({ option, variable }) => [option, findSource(options, variable)]),
  );
}

/** Returns the source of a variable's value. */
export function findSource(options: CommonOptions, variable: string): Source {
  const { environment = process.env } = options;
  const given = [...listSettings(options), ...listTyped(options)];
  if (given.some((each) => each.variable === variable && each.text !== undefined)) return 'option';
  return environment[variable] || environment[`${variable}_FILE`] ? 'environment' : 'default';
}

/** The option with the meaning of a variable. */
export function findOption(options: CommonOptions, variable: string): string | undefined {
  const all = [...listSettings(options), ...listTyped(options)];
  return all.find((each) => each.variable === variable)?.option;
}

/** Options that are not texts. The schema of the variables does not check them. */
function listTyped(options: ServerOptions | CommonOptions): Setting[] {
  const { trust, keyFile, profile, log } = options;
  const database = databaseOf(options);
  const isFile = database !== undefined && 'path' in database;
  const isChosen = isFile || (database !== undefined && 'url' in database);
  const typed = (option: string, variable: string, value: unknown): Setting => ({
    option,
    variable: `DOWEL_${variable}`,
    text: value === undefined ? undefined : 'given',
  });
  return [
    typed('trust', 'TRUST', trust),
    typed('database.path', 'DATA_DIR', isFile ? database : undefined),
    typed('database', 'DATABASE_URL', isChosen ? database : undefined),
    typed('keyFile.path', 'KEY_FILE', keyFile?.path),
    typed('profile.refreshPlacement', 'REFRESH_PLACEMENT', profile?.refreshPlacement),
    typed('profile.basicEncoding', 'BASIC_ENCODING', profile?.basicEncoding),
    typed('profile.notificationPath', 'NOTIFICATION_PATH', profile?.notificationPath),
    typed('dashboard.oidc.roles', 'OIDC_ROLES', options.dashboard?.oidc?.roles),
    typed('log', 'LOG_LEVEL', log),
    typed('manifest', 'MANIFEST', findManifest(options)),
  ];
}

/** Returns the manifest of the first plug-in that has one. */
function findManifest(options: ServerOptions | CommonOptions): unknown {
  const plugins = 'plugins' in options ? Object.values(options.plugins) : [options];
  return plugins
    .map((plugin) => ('manifest' in plugin ? plugin.manifest : undefined))
    .find(Boolean);
}

function listSettings(options: CommonOptions): Setting[] {
  const { limits = {}, alerts = {}, dashboard } = options;
  return [
    ...listOwn(options),
    ...listOidc(dashboard?.oidc),
    ...listAlerts(alerts),
    ...listDatabase(databaseOf(options)),
    ...listLimits(limits),
  ];
}

function listOwn(options: CommonOptions): Setting[] {
  const { essentialScopes } = options;
  return [
    setting('host', 'HOST', options.host),
    setting('port', 'PORT', options.port),
    setting('publicUrl', 'PUBLIC_URL', options.publicUrl),
    setting('dashboard.origin', 'ADMIN_ORIGIN', options.dashboard?.origin),
    setting('trust', 'TRUST', typeof options.trust === 'string' ? options.trust : undefined),
    setting('apiOrigins', 'API_ORIGINS', options.apiOrigins),
    setting('internalHosts', 'INTERNAL_HOSTS', options.internalHosts),
    setting('pluginIds', 'PLUGIN_IDS', options.pluginIds),
    setting('audience', 'AUDIENCE', options.audience),
    setting('sessions.nonce', 'SESSION_NONCE', options.sessions?.nonce),
    setting('sessions.unmatched', 'UNMATCHED_PAGES', options.sessions?.unmatched),
    setting('proxyHops', 'PROXY_HOPS', options.proxyHops),
    setting('eventPath', 'EVENT_PATH', options.eventPath),
    setting(
      'essentialScopes',
      'ESSENTIAL_SCOPES',
      essentialScopes?.join(',') || (essentialScopes && 'none'),
    ),
  ];
}

function listOidc(oidc: OidcOptions | undefined): Setting[] {
  return [
    setting('dashboard.oidc.issuer', 'OIDC_ISSUER', oidc?.issuer),
    setting('dashboard.oidc.clientId', 'OIDC_CLIENT_ID', oidc?.clientId),
    setting('dashboard.oidc.clientSecret', 'OIDC_CLIENT_SECRET', oidc?.clientSecret),
    setting('dashboard.oidc.scope', 'OIDC_SCOPE', oidc?.scope),
    setting('dashboard.oidc.roleClaim', 'OIDC_ROLE_CLAIM', oidc?.roleClaim),
  ];
}

function listAlerts(alerts: NonNullable<CommonOptions['alerts']>): Setting[] {
  return [
    setting('alerts.rules', 'ALERTS', alerts.rules?.join(',') || (alerts.rules && 'none')),
    setting('alerts.brokenForMs', 'ALERT_BROKEN_MINUTES', inUnits(alerts.brokenForMs, 60_000)),
    setting('alerts.brokenPercent', 'ALERT_BROKEN_PERCENT', alerts.brokenPercent),
    setting('alerts.refusedPerMinute', 'ALERT_REFUSED_PER_MINUTE', alerts.refusedPerMinute),
    setting(
      'alerts.remindAfterMs',
      'ALERT_REMINDER_HOURS',
      inUnits(alerts.remindAfterMs, 3_600_000),
    ),
    setting('alerts.webhook.url', 'ALERT_WEBHOOK_URL', alerts.webhook?.url),
    setting('alerts.webhook.secret', 'ALERT_WEBHOOK_SECRET', alerts.webhook?.secret),
    setting('alerts.mail.smtpUrl', 'ALERT_SMTP_URL', alerts.mail?.smtpUrl),
    setting('alerts.mail.from', 'ALERT_MAIL_FROM', alerts.mail?.from),
    setting('alerts.mail.to', 'ALERT_MAIL_TO', alerts.mail?.to),
  ];
}

/** A file or a URL: the other member may be there, but undefined. */
function databaseOf({ database }: CommonOptions): EngineLocation | undefined {
  return database && (givenOf(database) as EngineLocation);
}

function listDatabase(database: CommonOptions['database']): Setting[] {
  const postgres = database && 'url' in database ? database : undefined;
  return [
    setting('database.url', 'DATABASE_URL', postgres?.url),
    setting('database.connections', 'POSTGRES_CONNECTIONS', postgres?.connections),
  ];
}

function listLimits(limits: NonNullable<CommonOptions['limits']>): Setting[] {
  return [
    setting('limits.connections', 'CONNECTIONS', limits.connections),
    setting(
      'limits.connectionsPerAddress',
      'CONNECTIONS_PER_ADDRESS',
      limits.connectionsPerAddress,
    ),
    setting('limits.refusalsPerAddress', 'REFUSALS_PER_ADDRESS', limits.refusalsPerAddress),
    setting('limits.noncesPerAddress', 'NONCES_PER_ADDRESS', limits.noncesPerAddress),
    setting('limits.verificationsAtOnce', 'VERIFICATIONS_AT_ONCE', limits.verificationsAtOnce),
    setting('limits.decisionsAtOnce', 'DECISIONS_AT_ONCE', limits.decisionsAtOnce),
    setting(
      'limits.exchangesPerInstallation',
      'EXCHANGES_PER_INSTALLATION',
      limits.exchangesPerInstallation,
    ),
    setting(
      'limits.notificationsPerSession',
      'NOTIFICATIONS_PER_SESSION',
      limits.notificationsPerSession,
    ),
    setting('limits.notificationsPerUser', 'NOTIFICATIONS_PER_USER', limits.notificationsPerUser),
    setting(
      'limits.notificationsPerTenant',
      'NOTIFICATIONS_PER_TENANT',
      limits.notificationsPerTenant,
    ),
    setting(
      'limits.notificationsPerProcess',
      'NOTIFICATIONS_PER_PROCESS',
      limits.notificationsPerProcess,
    ),
    setting('limits.listenAfterCloseMs', 'DRAIN_MS', limits.listenAfterCloseMs),
    setting('limits.stopGraceMs', 'STOP_GRACE_MS', limits.stopGraceMs),
    setting('limits.historyDays', 'HISTORY_DAYS', limits.historyDays),
    setting(
      'limits.keepAliveTimeoutMs',
      'KEEP_ALIVE_SECONDS',
      inUnits(limits.keepAliveTimeoutMs, 1_000),
    ),
  ];
}

function setting(option: string, variable: string, value: unknown): Setting {
  return { option, variable: `DOWEL_${variable}`, text: textOf(value) };
}

function inUnits(ms: number | undefined, unitMs: number): number | undefined {
  return ms === undefined ? undefined : ms / unitMs;
}

/** Not as text: the value of a role may contain the comma and the equals sign that separate the rules of the variable. */
function readRoles({ dashboard }: CommonOptions): RoleRule[] | undefined {
  const { roles } = dashboard?.oidc ?? {};
  return (
    roles &&
    operatorRoleSchema.options.flatMap((role) =>
      (roles[role] ?? []).map((value) => ({ role, value })),
    )
  );
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.join(',') : String(value);
}

interface ReadingContext {
  given: readonly Setting[];
  roles: RoleRule[] | undefined;
  options: CommonOptions;
}

/** Error texts name the option, not its variable. */
function readTexts(texts: Texts, { given, roles, options }: ReadingContext): Config {
  try {
    return readConfig(texts, roles);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split('\n').map((line) => {
      const [name = ''] = /^\w+/.exec(line) ?? [];
      const setting = given.find(({ variable }) => variable === name);
      if (setting) return line.replace(name, setting.option);
      // What is missing can be given either way.
      const option = texts[name] ? undefined : findOption(options, name);
      return option ? line.replace(name, `${name}, or the option ${option},`) : line;
    });
    throw new ConfigError(lines.join('\n'));
  }
}

/** The key file is beside the database, unless it is named. */
function chooseDatabase(
  options: CommonOptions,
  config: Config,
): Pick<Config, 'database' | 'keyFile'> {
  const { keyFile, environment = process.env } = options;
  const database = databaseOf(options);
  const isFile = database !== undefined && 'path' in database;
  const chosen = isFile ? { ...database, path: resolve(database.path) } : config.database;
  const beside =
    isFile && !environment.DOWEL_KEY_FILE
      ? resolve(dirname(database.path), 'encryption.key')
      : config.keyFile.path;
  return {
    database: chosen,
    keyFile: { ...config.keyFile, path: beside, ...givenOf(keyFile) },
  };
}
