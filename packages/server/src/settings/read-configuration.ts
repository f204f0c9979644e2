/** The configuration of a server: its options, then the environment, then the defaults. */
import { dirname, resolve } from 'node:path';
import type { EngineLocation, KeyFile, StoreSettings } from '@dowel/installation-store';
import { defaultPlatformProfile, type PlatformProfile, plainWords } from '@dowel/schema';
import { describeUnknownSettings, readSecretFiles, withoutEmpty } from '@dowel/settings';
import type { AlertSettings, MailSettings, WebhookSettings } from '../alerts/alert-settings.ts';
import { givenOf } from '../base/option-shapes.ts';
import type { OidcSettings } from '../dashboard/oidc-settings.ts';
import type { CommonOptions, ServerOptions } from '../server-options.ts';
import { ConfigError } from './config-error.ts';
import type { SettingRow } from './setting-row.ts';
import { moveUrl, url } from './setting-values.ts';
import {
  dowelVariables,
  type SettingName,
  type SettingValues,
  secretNames,
  settingNames,
  settings,
} from './settings.ts';

type Options = ServerOptions | CommonOptions;
type Variables = Readonly<Record<string, string | undefined>>;

/** Each value at the place of its option, and what follows from several of them. */
export interface Configuration
  extends Omit<SettingValues, 'dashboard' | 'alerts' | 'database' | 'keyFile' | 'profile'> {
  /** The URL that browsers and the platform see, without a slash at its end. Its path is the base path. */
  publicUrl: string;
  /** The URL below which operators see the dashboard. */
  adminUrl: string;
  /** '' or `/base`. */
  basePath: string;
  stripBasePath: 'auto' | false;
  profile: PlatformProfile;
  database: EngineLocation;
  keyFile: KeyFile;
  /** `oidc`: the identity provider at which operators sign in. Undefined: none. */
  dashboard: { origin: string | undefined; oidc: OidcSettings | undefined };
  alerts: AlertSettings;
}

/** The source of a value. */
export type Source = 'option' | 'environment' | 'default';

/** @throws ConfigError with one line for each option or variable that is wrong. */
export function readConfiguration(options: Options): Configuration {
  const environment = options.environment ?? process.env;
  const replaced = settingNames.filter((name) => isReplaced(name, options));
  const { variables, problems } = readSecretFiles(without(environment, replaced), secretNames);
  problems.unshift(...describeUnknownSettings(environment, { DOWEL: dowelVariables }));
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0: anyone on the network could read every token. Remove it.',
    );
  }
  const values = readValues(options, withoutEmpty(variables), problems);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const configuration = deriveConfiguration(values, options, problems);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return configuration;
}

function readValues(options: Options, variables: Variables, problems: string[]): SettingValues {
  const values = {};
  for (const name of settingNames) {
    const row: SettingRow = settings[name];
    const given = row.isOfPlugin ? undefined : optionAt(options, name);
    const taken = given === undefined ? undefined : row.fromOption?.(given as never);
    if (taken !== undefined) {
      setAt(values, row.option, taken);
      continue;
    }
    const text = given === undefined ? variables[name] : textOf(row, given);
    const read = row.schema.safeParse(text || undefined, { error: plainWords });
    if (read.success) setAt(values, row.option, read.data);
    else problems.push(...describeIssues(given === undefined ? name : row.option, read.error));
  }
  return values as SettingValues;
}

function describeIssues(name: string, { issues }: { issues: { message: string }[] }): string[] {
  return issues.map(({ message }) => `${name} ${message}`.replace(' :', ':'));
}

/** The text that the variable would have. */
function textOf({ unitMs, emptyText }: SettingRow, given: unknown): string | undefined {
  if (Array.isArray(given)) return given.join(',') || emptyText;
  return String(unitMs && typeof given === 'number' ? given / unitMs : given);
}

function deriveConfiguration(
  { dashboard, alerts, database, keyFile, profile, ...values }: SettingValues,
  options: Options,
  problems: string[],
): Configuration {
  const publicUrl = values.publicUrl ?? localUrl(values.port);
  const place = basePathOf(publicUrl, options);
  if (dashboard.origin === new URL(publicUrl).origin) {
    problems.push(
      `${nameOf('DOWEL_ADMIN_ORIGIN', options)} must have another host than the public URL: it keeps the pages of plug-ins away from the dashboard`,
    );
  }
  const { production = (options.environment ?? process.env).NODE_ENV === 'production' } = givenOf(
    options.keyFile,
  );
  const beside = resolve(dirname(database.path), 'encryption.key');
  return {
    ...values,
    ...place,
    publicUrl,
    adminUrl: dashboard.origin ? moveUrl(publicUrl, dashboard.origin) : publicUrl,
    profile: { ...defaultPlatformProfile, ...givenOf(options.profile), ...profile },
    database: chooseDatabase(database, options),
    keyFile: { path: keyFile.path ?? beside, production },
    dashboard: { origin: dashboard.origin, oidc: readOidc(dashboard.oidc, problems) },
    alerts: {
      ...alerts,
      webhook: readWebhook(alerts.webhook, problems),
      mail: readMail(alerts.mail, problems),
    },
  };
}

function chooseDatabase(
  { path, url, connections }: SettingValues['database'],
  { database }: Options,
): EngineLocation {
  if (url !== undefined) return { url, ...(connections !== undefined && { connections }) };
  const { now } = { now: undefined, ...database };
  return { path, ...(now && { now }) };
}

function readWebhook(
  { url, secret }: SettingValues['alerts']['webhook'],
  problems: string[],
): WebhookSettings | undefined {
  if (url && secret) return { url, key: secret };
  if (url) {
    problems.push(
      describeMissing(
        'DOWEL_ALERT_WEBHOOK_SECRET',
        'without a signature the receiver cannot know who sends',
      ),
    );
  }
  if (secret) {
    problems.push(
      describeMissing('DOWEL_ALERT_WEBHOOK_URL', 'the secret signs what is sent there'),
    );
  }
  return undefined;
}

function readMail(
  { smtpUrl: server, from, to }: SettingValues['alerts']['mail'],
  problems: string[],
): MailSettings | undefined {
  const isComplete = areComplete(
    {
      DOWEL_ALERT_SMTP_URL: server,
      DOWEL_ALERT_MAIL_FROM: from,
      DOWEL_ALERT_MAIL_TO: to.length > 0 ? to : undefined,
    },
    { needed: false, why: 'alerts by mail need it', problems },
  );
  return isComplete && server && from ? { server, from, to } : undefined;
}

function readOidc(
  oidc: SettingValues['dashboard']['oidc'],
  problems: string[],
): OidcSettings | undefined {
  const { issuer, clientId, clientSecret, roles } = oidc;
  const isComplete = areComplete(
    { DOWEL_OIDC_ISSUER: issuer, DOWEL_OIDC_CLIENT_ID: clientId, DOWEL_OIDC_ROLES: roles },
    {
      needed: clientSecret !== undefined,
      why: 'sign-in by OpenID Connect needs it',
      problems,
    },
  );
  return isComplete && issuer && clientId && roles
    ? { ...oidc, issuer, clientId, clientSecret, roles }
    : undefined;
}

/**
 * Settings that are useless alone. If one of them is there, or `needed`, each missing one is a problem.
 *
 * @returns whether all are there
 */
function areComplete(
  group: Partial<Record<SettingName, unknown>>,
  { needed, why, problems }: { needed: boolean; why: string; problems: string[] },
): boolean {
  const names = Object.keys(group) as SettingName[];
  const missing = names.filter((name) => group[name] === undefined);
  if (missing.length < names.length || needed) {
    problems.push(...missing.map((name) => describeMissing(name, why)));
  }
  return missing.length === 0;
}

/** It can be given either way. */
function describeMissing(name: SettingName, why: string): string {
  return `${name}, or the option ${settings[name].option}, must be set too: ${why}`;
}

/** As browsers write it: without port 80. */
function localUrl(port: number): string {
  return new URL(`http://localhost:${port}`).origin;
}

/**
 * Returns where the database and its keys are, for commands, which read no other setting.
 *
 * @throws ConfigError
 */
export function readStoreSettings(environment: Variables): StoreSettings {
  const names = [
    'DOWEL_DATA_DIR',
    'DOWEL_DATABASE_URL',
    'DOWEL_POSTGRES_CONNECTIONS',
    'DOWEL_KEY_FILE',
  ];
  const ofStore = Object.entries(environment).filter(([name]) => names.includes(name));
  const { NODE_ENV } = environment;
  return readConfiguration({ environment: { ...Object.fromEntries(ofStore), NODE_ENV } });
}

/**
 * The part of the configuration that is needed before `open`, without I/O. Undefined: the public URL cannot be used, as
 * `open` will say.
 */
export function readPlace(
  options: Options,
): Pick<Configuration, 'basePath' | 'stripBasePath'> | undefined {
  const text = options.publicUrl || (options.environment ?? process.env).DOWEL_PUBLIC_URL;
  // The default has no path.
  if (!text) return basePathOf('http://localhost', options);
  const parsed = url.safeParse(text);
  return parsed.success ? basePathOf(parsed.data, options) : undefined;
}

function basePathOf(publicUrl: string, { stripBasePath = 'auto' }: Options) {
  return { basePath: new URL(publicUrl).pathname.replace(/\/$/, ''), stripBasePath };
}

/** Names and sources of all settings, without their values, which may be private. */
export function describeSources(options: Options): Record<string, Source> {
  return Object.fromEntries(
    settingNames.map((name) => [settings[name].option, findSource(name, options)]),
  );
}

export function findSource(name: SettingName, options: Options): Source {
  if (optionAt(options, name) !== undefined) return 'option';
  const { environment = process.env } = options;
  const isSet = Boolean(environment[name] || environment[`${name}_FILE`]);
  return isSet && !isReplaced(name, options) ? 'environment' : 'default';
}

/** The name for messages: of the option that is given, or of the variable. */
function nameOf(name: SettingName, options: Options): string {
  return optionAt(options, name) === undefined ? name : settings[name].option;
}

/** What an option replaces is not read, so it may be wrong. */
function isReplaced(name: SettingName, options: Options): boolean {
  const isFile = optionAt(options, 'DOWEL_DATA_DIR') !== undefined;
  if (isFile && (name === 'DOWEL_DATABASE_URL' || name === 'DOWEL_POSTGRES_CONNECTIONS'))
    return true;
  return !settings[name].isOfPlugin && optionAt(options, name) !== undefined;
}

function without(environment: Variables, names: readonly SettingName[]): Variables {
  const unread = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !unread.has(name)));
}

/** Returns the value of the option; of a plug-in's option, that of the first plug-in that has one. */
function optionAt(options: Options, name: SettingName): unknown {
  const { option, isOfPlugin } = settings[name];
  if (!isOfPlugin || !('plugins' in options)) return valueAt(options, option);
  return Object.values(options.plugins)
    .map((plugin) => valueAt(plugin, option))
    .find(Boolean);
}

/** Returns the value at a place such as `limits.historyDays`. */
export function valueAt(given: unknown, place: string): unknown {
  return place.split('.').reduce<unknown>((found, name) => {
    const isObject = typeof found === 'object' && found !== null;
    return isObject ? (found as Record<string, unknown>)[name] : undefined;
  }, given);
}

function setAt(values: Record<string, unknown>, place: string, value: unknown): void {
  const [name = '', ...rest] = place.split('.');
  if (rest.length === 0) {
    values[name] = value;
    return;
  }
  values[name] ??= {};
  setAt(values[name] as Record<string, unknown>, rest.join('.'), value);
}
