/** The configuration, from environment variables. Each problem is one line that says how to fix it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readStoreSettings } from '@dowel/installation-store';
import { defaultExchangesPerMinute } from '@dowel/lifecycle';
import { parseTrustRules } from '@dowel/platform-jwt';
import {
  defaultPlatformProfile,
  parseApiOrigins,
  parseNotificationPath,
  plainWords,
  Secret,
} from '@dowel/schema';
import {
  type BackEndSetting,
  describeUnknownSettings,
  readSecretFiles,
  withoutEmpty,
} from '@dowel/settings';
import { z } from 'zod';
import {
  type AlertSettings,
  defaultAlertSettings,
  parseAlertRules,
  parseSmtpUrl,
  parseWebhookSecret,
  parseWebhookUrl,
} from './alerts/alert-settings.ts';
import {
  type OidcSettings,
  parseOidcIssuer,
  parseRoleRules,
  type RoleRule,
} from './dashboard/oidc-settings.ts';
import { defaultReceptionLimits } from './events/reception-guard.ts';
import { defaultLimits } from './http/http-server.ts';
import { defaultNotificationLimits } from './platform/notification-limits.ts';
import {
  essentialScopes,
  hosts,
  listOf,
  moveUrl,
  parsedBy,
  url,
  wholeNumber,
} from './setting-values.ts';

/**
 * The configuration or the manifest cannot be used. Each line of the message names one problem and its fix.
 * It contains no secret. Its `stack` is the message alone, because a call is not what must be changed.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}

const notificationsPerMinute = () =>
  wholeNumber('a number of notifications a minute', { min: 1, max: 1_000_000 });

const atOnce = (what: string) => wholeNumber(what, { min: 16, max: 100_000 });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const mailAddress =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?$/;

const notificationPathError =
  'must be a plain path with {pluginId} and {instanceId} once each, such as /api/plugins/{pluginId}/instances/{instanceId}/notifications';

/** The ranges of times whose options are in milliseconds. */
export const timeRanges = {
  keepAliveSeconds: { min: 1, max: 3_600 },
  brokenMinutes: { min: 1, max: 10_080 },
  reminderHours: { min: 1, max: 168 },
} as const;

/** Has exactly the names in `backEndSettings`. Add a setting there first. */
const settings = {
  DOWEL_HOST: z
    .string()
    .regex(
      /^[A-Za-z0-9.:%_-]+$/,
      'must be an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0',
    )
    .default('127.0.0.1'),
  DOWEL_PORT: wholeNumber('a port number', { min: 0, max: 65_535 }).default(4310),
  DOWEL_PUBLIC_URL: url.optional(),
  DOWEL_ADMIN_ORIGIN: url
    .refine((text) => new URL(text).pathname === '/', {
      error: 'must be an origin without a path, such as https://admin.example.com',
    })
    .optional(),
  DOWEL_MANIFEST: z.string().min(1).default('manifest.json'),
  DOWEL_EVENT_PATH: z
    .string()
    .regex(/^\/[A-Za-z0-9._~%/-]*$/, 'must be a path of this server, such as /lifecycle/')
    .optional(),
  DOWEL_ESSENTIAL_SCOPES: essentialScopes.optional(),
  DOWEL_REFRESH_PLACEMENT: z
    .enum(['query', 'body'], { error: 'must be query or body' })
    .default(defaultPlatformProfile.refreshPlacement),
  DOWEL_BASIC_ENCODING: z
    .enum(['plain', 'form'], { error: 'must be plain or form' })
    .default(defaultPlatformProfile.basicEncoding),
  DOWEL_NOTIFICATION_PATH: parsedBy(parseNotificationPath, () => notificationPathError).default(
    () => defaultPlatformProfile.notificationPath,
  ),
  DOWEL_TRUST: parsedBy(
    (text) => parseTrustRules(text, { readKeyFile: (path) => readFileSync(path, 'utf8') }),
    ({ message }) => `: ${message}`,
  ).default([]),
  DOWEL_API_ORIGINS: parsedBy(parseApiOrigins, ({ message }) => `: ${message}`).default([]),
  DOWEL_INTERNAL_HOSTS: hosts,
  DOWEL_PLUGIN_IDS: listOf(
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    'must be plug-in ids (UUIDs) separated by commas, such as d290f1ee-6c54-4b01-90e6-d701748f0851',
  ).transform((ids) => ids.map((id) => id.toLowerCase())),
  DOWEL_AUDIENCE: listOf(
    /^[\x21-\x7e]{1,2048}$/,
    'must be names without blanks, separated by commas, such as https://plugin.example.com',
  ),
  DOWEL_SESSION_NONCE: z
    .enum(['optional', 'required'], { error: 'must be optional or required' })
    .default('optional'),
  DOWEL_UNMATCHED_PAGES: z
    .enum(['until-matched', 'refuse', 'allow'], { error: 'must be until-matched, refuse or allow' })
    .default('until-matched'),
  DOWEL_PROXY_HOPS: wholeNumber('the number of reverse proxies in front,', {
    min: 0,
    max: 10,
  }).default(0),
  DOWEL_CONNECTIONS: wholeNumber('a number of connections', { min: 16, max: 1_000_000 }).default(
    defaultLimits.maxConnections,
  ),
  DOWEL_CONNECTIONS_PER_ADDRESS: wholeNumber('a number of connections', {
    min: 16,
    max: 10_000,
  }).default(defaultLimits.connectionsPerAddress),
  DOWEL_REFUSALS_PER_ADDRESS: wholeNumber('a number of refusals a minute', {
    min: 1,
    max: 1_000_000,
  }).default(defaultReceptionLimits.refusalsPerMinute),
  DOWEL_NONCES_PER_ADDRESS: wholeNumber('a number of nonces a minute', {
    min: 1,
    max: 1_000_000,
  }).default(defaultReceptionLimits.noncesPerMinute),
  DOWEL_VERIFICATIONS_AT_ONCE: atOnce('a number of JWTs').default(
    defaultReceptionLimits.maxVerifying,
  ),
  DOWEL_DECISIONS_AT_ONCE: atOnce('a number of events and sessions').default(
    defaultReceptionLimits.maxDeciding,
  ),
  DOWEL_EXCHANGES_PER_INSTALLATION: wholeNumber('a number of exchanges a minute', {
    min: 1,
    max: 10_000,
  }).default(defaultExchangesPerMinute),
  DOWEL_NOTIFICATIONS_PER_SESSION: notificationsPerMinute().optional(),
  DOWEL_NOTIFICATIONS_PER_USER: notificationsPerMinute().default(
    defaultNotificationLimits.perUserPerMinute,
  ),
  DOWEL_NOTIFICATIONS_PER_TENANT: notificationsPerMinute().default(
    defaultNotificationLimits.perTenantPerMinute,
  ),
  DOWEL_NOTIFICATIONS_PER_PROCESS: notificationsPerMinute().default(
    defaultNotificationLimits.perProcessPerMinute,
  ),
  DOWEL_KEEP_ALIVE_SECONDS: wholeNumber('a number of seconds', timeRanges.keepAliveSeconds).default(
    defaultLimits.keepAliveTimeoutMs / 1_000,
  ),
  DOWEL_DRAIN_MS: wholeNumber('a number of milliseconds', { min: 0, max: 60_000 }).default(500),
  DOWEL_STOP_GRACE_MS: wholeNumber('a number of milliseconds', {
    min: 1_000,
    max: 600_000,
  }).default(12_000),
  DOWEL_HISTORY_DAYS: wholeNumber('a number of days', { min: 1, max: 3650 }).default(30),
  DOWEL_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info'),
  DOWEL_ALERTS: parsedBy(parseAlertRules).default(() => [...defaultAlertSettings.rules]),
  DOWEL_ALERT_BROKEN_MINUTES: wholeNumber('a number of minutes', timeRanges.brokenMinutes).default(
    defaultAlertSettings.brokenForMs / minuteMs,
  ),
  DOWEL_ALERT_BROKEN_PERCENT: wholeNumber('a number of percent', { min: 1, max: 99 }).default(
    defaultAlertSettings.brokenPercent,
  ),
  DOWEL_ALERT_REFUSED_PER_MINUTE: wholeNumber('a number of refusals a minute', {
    min: 1,
    max: 1_000_000,
  }).default(defaultAlertSettings.refusedPerMinute),
  DOWEL_ALERT_REMINDER_HOURS: wholeNumber('a number of hours', timeRanges.reminderHours).default(
    defaultAlertSettings.remindAfterMs / hourMs,
  ),
  DOWEL_ALERT_WEBHOOK_URL: parsedBy(parseWebhookUrl).optional(),
  DOWEL_ALERT_WEBHOOK_SECRET: parsedBy(parseWebhookSecret).optional(),
  DOWEL_ALERT_SMTP_URL: parsedBy(parseSmtpUrl).optional(),
  DOWEL_ALERT_MAIL_FROM: z
    .string()
    .regex(mailAddress, 'must be one mail address without a name, such as dowel@example.com')
    .optional(),
  DOWEL_ALERT_MAIL_TO: listOf(
    mailAddress,
    'must be mail addresses without names, separated by commas, such as desk@example.com',
  ),
  DOWEL_OIDC_ISSUER: parsedBy(parseOidcIssuer).optional(),
  DOWEL_OIDC_CLIENT_ID: z.string().max(2_048).optional(),
  DOWEL_OIDC_CLIENT_SECRET: z
    .string()
    .transform((text) => new Secret(text))
    .optional(),
  DOWEL_OIDC_SCOPE: z
    .string()
    .regex(/^openid( [\x21\x23-\x5b\x5d-\x7e]+)*$/, {
      error:
        'must be scopes separated by blanks, openid first, such as openid profile email groups',
    })
    .default('openid profile email'),
  DOWEL_OIDC_ROLE_CLAIM: z.string().max(200).default('roles'),
  DOWEL_OIDC_ROLES: parsedBy(parseRoleRules).optional(),
} satisfies Record<BackEndSetting, z.ZodType>;

const environmentSchema = z.object({
  ...settings,
  NODE_TLS_REJECT_UNAUTHORIZED: z
    .string()
    .refine((value) => value !== '0', {
      error: 'must not be 0: anyone on the network could read every token. Remove it.',
    })
    .optional(),
});

export type Config = ReturnType<typeof readConfig>;

/**
 * @param roles rules that are given instead of DOWEL_OIDC_ROLES
 * @throws ConfigError with one line for each variable that is wrong.
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  roles?: readonly RoleRule[],
) {
  const { variables, problems: ofFiles } = readSecretFiles(environment);
  const used = roles ? { ...variables, DOWEL_OIDC_ROLES: undefined } : variables;
  const parsed = environmentSchema.safeParse(withoutEmpty(used), { error: plainWords });
  const problems = [
    ...describeUnknownSettings(environment, ['DOWEL']),
    ...ofFiles,
    ...(parsed.error?.issues ?? []).map(({ path, message }) =>
      `${path.join('.')} ${message}`.replace(' :', ':'),
    ),
  ];
  const oidc = parsed.success ? readOidc(parsed.data, roles, problems) : undefined;
  const alerts = parsed.success ? readAlerts(parsed.data, problems) : undefined;
  if (parsed.success) assertOwnOrigin(parsed.data, problems);
  const store = readStore(variables, problems);
  if (!parsed.success || !store || !alerts || problems.length > 0)
    throw new ConfigError(problems.join('\n'));
  return {
    ...store,
    ...readServing(parsed.data),
    ...readLimits(parsed.data),
    /** The identity provider at which operators sign in. Undefined: none. */
    oidc,
    /** Rules and channels of alerts. */
    alerts,
  };
}

type Variables = z.infer<typeof environmentSchema>;

/** As browsers write it: without port 80. */
function localUrl(port: number): string {
  return new URL(`http://localhost:${port}`).origin;
}

/** The base path is the same at both. */
function adminUrlOf({ DOWEL_ADMIN_ORIGIN: origin, ...variables }: Variables): string {
  const publicUrl = publicUrlOf(variables);
  return origin ? moveUrl(publicUrl, origin) : publicUrl;
}

function publicUrlOf(variables: Pick<Variables, 'DOWEL_PUBLIC_URL' | 'DOWEL_PORT'>): string {
  return variables.DOWEL_PUBLIC_URL ?? localUrl(variables.DOWEL_PORT);
}

function assertOwnOrigin(variables: Variables, problems: string[]): void {
  if (variables.DOWEL_ADMIN_ORIGIN !== new URL(publicUrlOf(variables)).origin) return;
  problems.push(
    'DOWEL_ADMIN_ORIGIN must have another host than the public URL: it keeps the pages of plug-ins away from the dashboard',
  );
}

function readServing(variables: Variables) {
  return {
    host: variables.DOWEL_HOST,
    /** 0: any free one. */
    port: variables.DOWEL_PORT,
    /** The URL that browsers and the platform see, without a slash at its end. Its path is the base path. */
    publicUrl: publicUrlOf(variables),
    /** The URL below which operators see the dashboard. */
    adminUrl: adminUrlOf(variables),
    manifestPath: resolve(variables.DOWEL_MANIFEST),
    /** The path to which a proxy sends the events. Default: the manifest's paths. */
    eventPath: variables.DOWEL_EVENT_PATH,
    /** Default: all scopes that the manifest requests. */
    essentialScopes: variables.DOWEL_ESSENTIAL_SCOPES,
    profile: {
      ...defaultPlatformProfile,
      refreshPlacement: variables.DOWEL_REFRESH_PLACEMENT,
      basicEncoding: variables.DOWEL_BASIC_ENCODING,
      notificationPath: variables.DOWEL_NOTIFICATION_PATH,
    },
    trustRules: variables.DOWEL_TRUST,
    /** Where the APIs of an issuer's tenants may be, besides at the issuer's own origin. */
    apiOrigins: variables.DOWEL_API_ORIGINS,
    /** Hosts of tenants and keys that may have private addresses. */
    internalHosts: variables.DOWEL_INTERNAL_HOSTS,
    /** Our plug-in ids, in lower case. An empty list accepts every plug-in. */
    pluginIds: variables.DOWEL_PLUGIN_IDS,
    /** Accepted values of an `aud` claim, besides the public URL. */
    audience: variables.DOWEL_AUDIENCE,
    /** Whether an init JWT must answer a nonce of ours. */
    sessionNonce: variables.DOWEL_SESSION_NONCE,
    unmatchedPages: variables.DOWEL_UNMATCHED_PAGES,
    /** How long events and token operations are kept. */
    historyDays: variables.DOWEL_HISTORY_DAYS,
    logLevel: variables.DOWEL_LOG_LEVEL,
  };
}

/** The limits of strangers, sessions and connections, and the times of the server. */
function readLimits(variables: Variables) {
  return {
    /** Reverse proxies in front whose X-Forwarded-For is believed. */
    proxyHops: variables.DOWEL_PROXY_HOPS,
    /** Maximum number of connections of all addresses together. */
    maxConnections: variables.DOWEL_CONNECTIONS,
    /** Maximum number of connections per address. */
    connectionsPerAddress: variables.DOWEL_CONNECTIONS_PER_ADDRESS,
    receptionLimits: {
      refusalsPerMinute: variables.DOWEL_REFUSALS_PER_ADDRESS,
      noncesPerMinute: variables.DOWEL_NONCES_PER_ADDRESS,
      maxVerifying: variables.DOWEL_VERIFICATIONS_AT_ONCE,
      maxDeciding: variables.DOWEL_DECISIONS_AT_ONCE,
    },
    /** Exchanges that one installation may cause in a minute. */
    exchangesPerMinute: variables.DOWEL_EXCHANGES_PER_INSTALLATION,
    notificationLimits: {
      perSessionPerMinute: variables.DOWEL_NOTIFICATIONS_PER_SESSION,
      perUserPerMinute: variables.DOWEL_NOTIFICATIONS_PER_USER,
      perTenantPerMinute: variables.DOWEL_NOTIFICATIONS_PER_TENANT,
      perProcessPerMinute: variables.DOWEL_NOTIFICATIONS_PER_PROCESS,
    },
    /** How long a connection may wait for its next request. */
    keepAliveTimeoutMs: variables.DOWEL_KEEP_ALIVE_SECONDS * 1_000,
    /** How long a process that stops accepts connections. */
    drainMs: variables.DOWEL_DRAIN_MS,
    /** How long calls under way may take after that. */
    stopGraceMs: variables.DOWEL_STOP_GRACE_MS,
  };
}

function readAlerts(variables: Variables, problems: string[]): AlertSettings {
  return {
    rules: variables.DOWEL_ALERTS,
    brokenForMs: variables.DOWEL_ALERT_BROKEN_MINUTES * minuteMs,
    brokenPercent: variables.DOWEL_ALERT_BROKEN_PERCENT,
    refusedPerMinute: variables.DOWEL_ALERT_REFUSED_PER_MINUTE,
    remindAfterMs: variables.DOWEL_ALERT_REMINDER_HOURS * hourMs,
    webhook: readWebhook(variables, problems),
    mail: readMail(variables, problems),
  };
}

function readWebhook(variables: Variables, problems: string[]): AlertSettings['webhook'] {
  const { DOWEL_ALERT_WEBHOOK_URL: url, DOWEL_ALERT_WEBHOOK_SECRET: key } = variables;
  if (url && key) return { url, key };
  if (url) {
    problems.push(
      'DOWEL_ALERT_WEBHOOK_SECRET must be set too: without a signature the receiver cannot know who sends',
    );
  }
  if (key)
    problems.push('DOWEL_ALERT_WEBHOOK_URL must be set too: the secret signs what is sent there');
  return undefined;
}

function readMail(variables: Variables, problems: string[]): AlertSettings['mail'] {
  const { DOWEL_ALERT_SMTP_URL: server, DOWEL_ALERT_MAIL_FROM: from } = variables;
  const { DOWEL_ALERT_MAIL_TO: to } = variables;
  const needed = {
    DOWEL_ALERT_SMTP_URL: server,
    DOWEL_ALERT_MAIL_FROM: from,
    DOWEL_ALERT_MAIL_TO: to.length > 0 ? to : undefined,
  };
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length === 3) return undefined;
  for (const [name] of missing) problems.push(`${name} must be set too: alerts by mail need it`);
  return server && from ? { server, from, to } : undefined;
}

function readOidc(
  variables: Variables,
  given: readonly RoleRule[] | undefined,
  problems: string[],
): OidcSettings | undefined {
  const { DOWEL_OIDC_ISSUER: issuer, DOWEL_OIDC_CLIENT_ID: clientId } = variables;
  const { DOWEL_OIDC_CLIENT_SECRET: clientSecret, DOWEL_OIDC_ROLES: roles = given } = variables;
  const needed = {
    DOWEL_OIDC_ISSUER: issuer,
    DOWEL_OIDC_CLIENT_ID: clientId,
    DOWEL_OIDC_ROLES: roles,
  };
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length === 3 && !clientSecret) return undefined;
  for (const [name] of missing)
    problems.push(`${name} must be set too: sign-in by OpenID Connect needs it`);
  if (!issuer || !clientId || !roles) return undefined;
  const { DOWEL_OIDC_SCOPE: scope, DOWEL_OIDC_ROLE_CLAIM: roleClaim } = variables;
  return { issuer, clientId, clientSecret, scope, roleClaim, roles };
}

function readStore(environment: Record<string, string | undefined>, problems: string[]) {
  try {
    return readStoreSettings(environment);
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}
