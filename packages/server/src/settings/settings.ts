/**
 * All settings of the back end, one row each. The configuration, the errors for wrong and unknown names, the dashboard's
 * page and `.env.example` come from this table (`pnpm generate` writes the file).
 *
 * To add a setting, add its row here and its option to `CommonOptions`, whose doc comment authors read.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type OperatorRole, operatorRoleSchema } from '@dowel/admin-api';
import { defaultExchangesPerMinute } from '@dowel/lifecycle';
import { parseTrustRules, type TrustRule } from '@dowel/platform-jwt';
import {
  defaultPlatformProfile,
  type PlatformProfile,
  parseApiOrigins,
  parseNotificationPath,
  Secret,
} from '@dowel/schema';
import { z } from 'zod';
import {
  defaultAlertSettings,
  parseAlertRules,
  parseSmtpUrl,
  parseTimeZone,
  parseWebhookSecret,
  parseWebhookUrl,
} from '../alerts/alert-settings.ts';
import { parseOidcIssuer, parseRoleRules, type RoleRule } from '../dashboard/oidc-settings.ts';
import { defaultReceptionLimits } from '../events/reception-guard.ts';
import { defaultLimits } from '../http/http-server.ts';
import { defaultNotificationLimits } from '../platform/notification-limits.ts';
import { row, type ValuesOf } from './setting-row.ts';
import {
  count,
  databaseUrl,
  duration,
  essentialScopes,
  hosts,
  listOf,
  oneOf,
  optionalCount,
  parsedBy,
  perMinute,
  url,
} from './setting-values.ts';

const mailAddress =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?$/;

const ownAddress = z
  .string()
  .regex(
    /^[A-Za-z0-9.:%_-]+$/,
    'must be an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0',
  )
  .default('127.0.0.1');

const server = {
  DOWEL_PUBLIC_URL: row({
    option: 'publicUrl',
    schema: url.optional(),
    group: 'server',
    label: { en: 'Public URL', de: 'Öffentliche URL' },
    text: 'The URL that browsers and the platform see. Its path, if it has one, is the base path of everything that is served.',
    example: 'http://localhost:4310',
  }),
  DOWEL_ADMIN_ORIGIN: row({
    option: 'dashboard.origin',
    schema: url
      .refine((text) => new URL(text).pathname === '/', {
        error: 'must be an origin without a path, such as https://admin.example.com',
      })
      .optional(),
    group: 'server',
    label: { en: 'Host of the dashboard', de: 'Host des Dashboards' },
    text: "A host of its own for the operators' dashboard, which is then served there only, and nothing else is. The proxy in front passes the header Host on. Default: the host of DOWEL_PUBLIC_URL.",
    example: 'https://dowel-admin.example.com',
  }),
  DOWEL_HOST: row({
    option: 'host',
    schema: ownAddress,
    group: 'server',
    label: { en: 'Listens at', de: 'Adresse' },
    text: 'The interface that the back end listens on. 0.0.0.0: all interfaces.',
    example: '127.0.0.1',
    isOfStart: true,
  }),
  DOWEL_PORT: row({
    option: 'port',
    ...count('a port number', { min: 0, max: 65_535 }, 4310),
    group: 'server',
    label: { en: 'Port', de: 'Port' },
    text: 'The port of the back end. 0: any free one; not in a clone of Dowel, whose emulator must know it.',
    example: '4310',
    isOfStart: true,
  }),
  DOWEL_METRICS_PORT: row({
    option: 'metrics.port',
    ...optionalCount('a port number', { min: 0, max: 65_535 }),
    group: 'server',
    label: { en: 'Port of the metrics', de: 'Port der Metriken' },
    text: 'A port of its own for GET /metrics, in the format of Prometheus. 0: any free one, which the log names (metrics.listening). Without it nothing is measured.',
    example: '9464',
  }),
  DOWEL_METRICS_HOST: row({
    option: 'metrics.host',
    schema: ownAddress,
    group: 'server',
    label: { en: 'Address of the metrics', de: 'Adresse der Metriken' },
    text: 'The interface of that port. Anybody who reaches it may read the metrics. 0.0.0.0: all interfaces, as in a container.',
    example: '127.0.0.1',
  }),
  DOWEL_PROXY_HOPS: row({
    option: 'proxyHops',
    ...count('the number of reverse proxies in front,', { min: 0, max: 10 }, 0),
    group: 'server',
    label: { en: 'Proxies in front', de: 'Vorgelagerte Proxys' },
    text: 'Reverse proxies in front of the back end whose X-Forwarded-For is believed. Behind a proxy, set it: refused events are limited by address.',
    example: '0',
  }),
  DOWEL_INTERNAL_HOSTS: row({
    option: 'internalHosts',
    schema: hosts,
    group: 'server',
    label: { en: 'Hosts with private addresses', de: 'Hosts mit privaten Adressen' },
    text: 'Hosts of tenants and keys that may have private addresses, separated by commas. Others are refused. The port of https can be left out.',
    example: 'intranet.local,keys.intranet.local:8443',
    isList: true,
  }),
  DOWEL_MANIFEST: row({
    option: 'manifest',
    schema: z
      .string()
      .default('manifest.json')
      .transform((path) => resolve(path)),
    group: 'server',
    label: { en: 'Manifest', de: 'Manifest' },
    text: "The plug-in's manifest.",
    example: 'manifest.json',
    isOfPlugin: true,
  }),
  DOWEL_FRONTEND: row({
    option: 'pagesAt',
    ...oneOf('here', 'elsewhere'),
    group: 'server',
    label: { en: "Plug-ins' pages", de: 'Seiten der Plug-ins' },
    text: 'Whether this back end serves the built pages of its plug-ins (here), or another server answers plugin/ (elsewhere), as in development: then the pages are neither checked nor served.',
    example: 'here',
  }),
  DOWEL_KEEP_ALIVE_SECONDS: row({
    option: 'limits.keepAliveTimeoutMs',
    ...duration('seconds', { min: 1, max: 3_600 }, defaultLimits.keepAliveTimeoutMs),
    group: 'server',
    label: { en: 'Idle connections stay for', de: 'Ruhende Verbindungen bleiben' },
    text: 'How long a connection may wait for its next request, in seconds. Set it longer than the balancer in front keeps it (60 s with many), because whoever closes first decides whether a request is lost.',
    example: '65',
    isOfStart: true,
  }),
  DOWEL_DRAIN_MS: row({
    option: 'limits.listenAfterCloseMs',
    ...count('a number of milliseconds', { min: 0, max: 60_000 }, 500),
    unit: 'ms',
    group: 'server',
    label: {
      en: 'Accepts connections while it stops for',
      de: 'Nimmt beim Stoppen noch Verbindungen an',
    },
    text: 'How long a process goes on accepting connections after SIGTERM or drain(), in milliseconds. Set it longer than the interval at which a balancer asks /readyz. With 0, idle connections end at once.',
    example: '500',
    isOfStart: true,
  }),
  DOWEL_STOP_GRACE_MS: row({
    option: 'limits.stopGraceMs',
    ...count('a number of milliseconds', { min: 1_000, max: 600_000 }, 12_000),
    unit: 'ms',
    group: 'server',
    label: { en: 'Calls may finish within', de: 'Aufrufe dürfen noch dauern' },
    text: 'How long requests under way may take after that, in milliseconds. Set it longer than a token request takes.',
    example: '12000',
  }),
  DOWEL_LOG_LEVEL: row({
    option: 'log',
    schema: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
        error: 'must be trace, debug, info, warn, error or silent',
      })
      .default('info'),
    group: 'server',
    label: { en: 'Log level', de: 'Log-Stufe' },
    text: 'trace, debug, info, warn, error or silent.',
    example: 'info',
    // A log of the program has its own level.
    fromOption: () => 'info',
  }),
};

const events = {
  DOWEL_TRUST: row({
    option: 'trust',
    schema: parsedBy(
      (text) => parseTrustRules(text, { readKeyFile: (path) => readFileSync(path, 'utf8') }),
      ({ message }) => `: ${message}`,
    ).default([]),
    group: 'events',
    label: { en: 'Trust rules', de: 'Vertrauensregeln' },
    text: 'Whose events are believed: <issuer origin>=<location of its keys>, separated by commas. A leading *. stands for all sub-domains. Keys may be a file instead, in quotes because of the #: "https://acme.example.com=file:acme.pem#RS512". The word haiilo stands for that platform\'s issuers and both its key hosts; it may stand beside other rules. Default: nobody; in a clone of Dowel, its emulator.',
    example: 'haiilo,https://*.example.com=https://keys.example.com/',
    fromOption: (given: string | readonly TrustRule[]) =>
      typeof given === 'string' ? undefined : [...given],
  }),
  DOWEL_PLUGIN_IDS: row({
    option: 'pluginIds',
    schema: listOf(
      /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
      'must be plug-in ids (UUIDs) separated by commas, such as d290f1ee-6c54-4b01-90e6-d701748f0851',
    ).transform((ids) => ids.map((id) => id.toLowerCase())),
    group: 'events',
    label: { en: 'Own plug-in ids', de: 'Eigene Plug-in-IDs' },
    text: 'The ids that platforms gave this plug-in, separated by commas: events and init JWTs of other plug-ins are refused. Not set: every plug-in is taken for ours; the log names each id once (plugin.seen).',
    example: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
    isList: true,
  }),
  DOWEL_AUDIENCE: row({
    option: 'audience',
    schema: listOf(
      /^[\x21-\x7e]{1,2048}$/,
      'must be names without blanks, separated by commas, such as https://plugin.example.com',
    ),
    group: 'events',
    label: { en: 'Accepted audiences', de: 'Angenommene Empfänger (aud)' },
    text: 'What the claim "aud" may call this back end, besides its public URL, separated by commas. A JWT with another aud is refused; one without aud is accepted.',
    example: 'https://plugin.example.com',
    isList: true,
  }),
  DOWEL_EVENT_PATH: row({
    option: 'eventPath',
    schema: z
      .string()
      .regex(/^\/[A-Za-z0-9._~%/-]*$/, 'must be a path of this server, such as /lifecycle/')
      .optional(),
    group: 'events',
    label: { en: 'Events arrive at', de: 'Ereignisse kommen an bei' },
    text: "Where a reverse proxy sends the platform's events, if it rewrites their URLs: a path of this server. Default: the back end serves the URLs that the manifest names as lifecycle.url and apiAccess.url, and does not start if they are not its own (DOWEL_PUBLIC_URL).",
    example: '/lifecycle/',
  }),
  DOWEL_ESSENTIAL_SCOPES: row({
    option: 'essentialScopes',
    schema: essentialScopes.optional(),
    group: 'events',
    label: { en: 'Essential scopes', de: 'Nötige Scopes' },
    text: 'Scopes without which an installation is refused, separated by commas; none: no scope is essential. They must be among those that the manifest asks for. Default: all of these.',
    example: 'plugin:notify',
    isList: true,
    emptyText: 'none',
  }),
};

const platform = {
  DOWEL_API_ORIGINS: row({
    option: 'apiOrigins',
    schema: parsedBy(parseApiOrigins, ({ message }) => `: ${message}`).default([]),
    group: 'platform',
    label: { en: 'Other origins of APIs', de: 'Andere Origins der APIs' },
    text: "Where the APIs of an issuer's tenants may be (base_url, token endpoint and trigger of an event), besides at the issuer's own origin: <issuer origin>=<origin of base_url>, separated by commas. A leading *. stands for all sub-domains of the issuer, and for one label of the API's host. A refused event's log line has the value to set.",
    example: 'https://*.example.com=https://api.example.com',
    isList: true,
  }),
  DOWEL_REFRESH_PLACEMENT: row({
    option: 'profile.refreshPlacement',
    ...oneOf('query', 'body'),
    group: 'platform',
    label: { en: 'Refresh token goes in the', de: 'Refresh-Token steht in' },
    text: "Where a platform expects a refresh's parameters: query or body.",
    example: 'query',
  }),
  DOWEL_BASIC_ENCODING: row({
    option: 'profile.basicEncoding',
    ...oneOf('plain', 'form'),
    group: 'platform',
    label: { en: 'Encoding of client credentials', de: 'Kodierung der Client-Daten' },
    text: 'Whether a platform expects client id and secret form-encoded before Basic: plain or form.',
    example: 'plain',
  }),
  DOWEL_NOTIFICATION_PATH: row({
    option: 'profile.notificationPath',
    schema: parsedBy(
      parseNotificationPath,
      () =>
        'must be a plain path with {pluginId} and {instanceId} once each, such as /api/plugins/{pluginId}/instances/{instanceId}/notifications',
    ).default(() => defaultPlatformProfile.notificationPath),
    group: 'platform',
    label: { en: 'Path of notifications', de: 'Pfad der Benachrichtigungen' },
    text: "The path of createNotification below the tenant's base_url.",
    example: '/api/plugins/{pluginId}/instances/{instanceId}/notifications',
    fromOption: (given: PlatformProfile['notificationPath']) => given,
  }),
};

const sessions = {
  DOWEL_SESSION_NONCE: row({
    option: 'sessions.nonce',
    ...oneOf('optional', 'required'),
    group: 'sessions',
    label: { en: 'Nonce of a session', de: 'Nonce einer Sitzung' },
    text: "Whether an init JWT opens a session only with a nonce of this back end (required), or with any jti (optional). Set it when every page asks for one, as the sample's does.",
    example: 'optional',
  }),
  DOWEL_UNMATCHED_PAGES: row({
    option: 'sessions.unmatched',
    ...oneOf('until-matched', 'refuse', 'allow'),
    group: 'sessions',
    label: { en: 'Pages without a placed widget', de: 'Seiten ohne platziertes Widget' },
    text: 'Whether a page whose src names no placed widget has a session: only until a page of its installation has named one (until-matched), never (refuse) or always (allow).',
    example: 'until-matched',
  }),
};

const signIn = {
  DOWEL_OIDC_ISSUER: row({
    option: 'dashboard.oidc.issuer',
    schema: parsedBy(parseOidcIssuer).optional(),
    group: 'signIn',
    label: { en: 'Identity provider', de: 'Identitätsanbieter' },
    text: "An identity provider at which the dashboard's operators sign in, by OpenID Connect. Register <DOWEL_PUBLIC_URL>/admin/api/session/oidc/callback as the redirect URI and <DOWEL_PUBLIC_URL>/admin/sign-in as the place after the sign-out.",
    example: 'https://login.example.com/realms/staff',
  }),
  DOWEL_OIDC_CLIENT_ID: row({
    option: 'dashboard.oidc.clientId',
    schema: z.string().max(2_048).optional(),
    group: 'signIn',
    label: { en: 'Client id', de: 'Client-ID' },
    text: 'The id of Dowel as a client of the provider.',
    example: 'dowel',
  }),
  DOWEL_OIDC_CLIENT_SECRET: row({
    option: 'dashboard.oidc.clientSecret',
    schema: z
      .string()
      .transform((text) => new Secret(text))
      .optional(),
    group: 'signIn',
    label: { en: 'Client secret', de: 'Client-Secret' },
    text: 'Without a secret Dowel is a public client, which PKCE protects.',
    example: '',
    isSecret: true,
  }),
  DOWEL_OIDC_SCOPE: row({
    option: 'dashboard.oidc.scope',
    schema: z
      .string()
      .regex(/^openid( [\x21\x23-\x5b\x5d-\x7e]+)*$/, {
        error:
          'must be scopes separated by blanks, openid first, such as openid profile email groups',
      })
      .default('openid profile email'),
    group: 'signIn',
    label: { en: 'Requested scope', de: 'Angefragter Scope' },
    text: 'The scopes that the sign-in asks for, openid first, separated by blanks.',
    example: 'openid profile email',
  }),
  DOWEL_OIDC_ROLE_CLAIM: row({
    option: 'dashboard.oidc.roleClaim',
    schema: z.string().max(200).default('roles'),
    group: 'signIn',
    label: { en: 'Claim with roles', de: 'Claim mit Rollen' },
    text: "The claim of the ID token or of userinfo with an operator's roles or groups. Dots lead into objects (realm_access.roles).",
    example: 'roles',
  }),
  DOWEL_OIDC_ROLES: row({
    option: 'dashboard.oidc.roles',
    schema: parsedBy(parseRoleRules).optional(),
    group: 'signIn',
    label: { en: 'Roles by value', de: 'Rollen nach Wert' },
    text: 'Who may do what: role=value, separated by commas. The highest role counts, and nobody signs in without one. A value with a comma, such as a group of LDAP, can only be given by the option dashboard.oidc.roles.',
    example: 'owner=dowel-owners,operator=support,viewer=staff',
    fromOption: listRoleRules,
  }),
};

const alerts = {
  DOWEL_ALERTS: row({
    option: 'alerts.rules',
    schema: parsedBy(parseAlertRules).default(() => [...defaultAlertSettings.rules]),
    group: 'alerts',
    label: { en: 'Rules', de: 'Regeln' },
    text: 'What operators are told of, besides the dashboard: rules separated by commas, or none.',
    example: defaultAlertSettings.rules.join(','),
    isList: true,
    emptyText: 'none',
  }),
  DOWEL_ALERT_BROKEN_MINUTES: row({
    option: 'alerts.brokenForMs',
    ...duration('minutes', { min: 1, max: 10_080 }, defaultAlertSettings.brokenForMs),
    group: 'alerts',
    label: { en: 'Broken for longer than', de: 'Gestört länger als' },
    text: 'An alert opens when an installation is broken for more minutes.',
    example: '15',
  }),
  DOWEL_ALERT_BROKEN_PERCENT: row({
    option: 'alerts.brokenPercent',
    ...count('a number of percent', { min: 1, max: 99 }, defaultAlertSettings.brokenPercent),
    unit: 'percent',
    group: 'alerts',
    label: { en: 'Broken part larger than', de: 'Gestörter Anteil über' },
    text: 'An alert opens when more percent of the installations are broken.',
    example: '5',
  }),
  DOWEL_ALERT_REFUSED_PER_MINUTE: row({
    option: 'alerts.refusedPerMinute',
    ...perMinute('refusals', defaultAlertSettings.refusedPerMinute),
    group: 'alerts',
    label: { en: 'Refused more than', de: 'Abgewiesen mehr als' },
    text: 'An alert opens when more events and sessions a minute are refused.',
    example: '60',
  }),
  DOWEL_ALERT_LANGUAGE: row({
    option: 'alerts.language',
    ...oneOf('en', 'de'),
    group: 'alerts',
    label: { en: 'Language of messages', de: 'Sprache der Nachrichten' },
    text: 'The language of alerts by webhook and mail: en or de.',
    example: 'de',
  }),
  DOWEL_ALERT_TIME_ZONE: row({
    option: 'alerts.timeZone',
    schema: parsedBy(parseTimeZone).default(defaultAlertSettings.timeZone),
    group: 'alerts',
    label: { en: 'Time zone of messages', de: 'Zeitzone der Nachrichten' },
    text: 'The time zone of alerts by webhook and mail. Default: UTC.',
    example: 'Europe/Berlin',
  }),
  DOWEL_ALERT_WEBHOOK_URL: row({
    option: 'alerts.webhook.url',
    schema: parsedBy(parseWebhookUrl).optional(),
    group: 'alerts',
    label: { en: 'Webhook', de: 'Webhook' },
    text: 'Alerts by webhook, signed as Standard Webhooks describes it.',
    example: 'https://hooks.example.com/dowel',
    isSecret: true,
  }),
  DOWEL_ALERT_WEBHOOK_SECRET: row({
    option: 'alerts.webhook.secret',
    schema: parsedBy(parseWebhookSecret).optional(),
    group: 'alerts',
    label: { en: 'Secret of the webhook', de: 'Geheimnis des Webhooks' },
    text: 'whsec_ and 24 to 64 bytes in base64. Make one with: node -p \'"whsec_"+crypto.randomBytes(32).toString("base64")\'',
    example: '',
    isSecret: true,
  }),
  DOWEL_ALERT_SMTP_URL: row({
    option: 'alerts.mail.smtpUrl',
    schema: parsedBy(parseSmtpUrl).optional(),
    group: 'alerts',
    label: { en: 'Mail server', de: 'Mailserver' },
    text: 'Alerts by mail: smtps:// (port 465), or smtp:// (587), which must offer STARTTLS. Special characters of user and password are percent-encoded.',
    example: 'smtps://user:password@mail.example.com',
    isSecret: true,
  }),
  DOWEL_ALERT_MAIL_FROM: row({
    option: 'alerts.mail.from',
    schema: z
      .string()
      .regex(mailAddress, 'must be one mail address without a name, such as dowel@example.com')
      .optional(),
    group: 'alerts',
    label: { en: 'Mail from', de: 'Mail von' },
    text: 'The sender of alerts by mail.',
    example: 'dowel@example.com',
  }),
  DOWEL_ALERT_MAIL_TO: row({
    option: 'alerts.mail.to',
    schema: listOf(
      mailAddress,
      'must be mail addresses without names, separated by commas, such as desk@example.com',
    ),
    group: 'alerts',
    label: { en: 'Mail to', de: 'Mail an' },
    text: 'The receivers of alerts by mail, separated by commas.',
    example: 'desk@example.com,night@example.com',
    isList: true,
  }),
};

const limits = {
  DOWEL_CONNECTIONS: row({
    option: 'limits.connections',
    ...count('a number of connections', { min: 16, max: 1_000_000 }, defaultLimits.maxConnections),
    group: 'limits',
    label: { en: 'Connections', de: 'Verbindungen' },
    text: 'How many connections a process accepts. The last fifth is for addresses with few, unless DOWEL_PROXY_HOPS is set. The system must allow as many open files. This limit and the next are for the server of start(); inside a host framework the limits of configureHttpServer apply.',
    example: '10000',
    isOfStart: true,
  }),
  DOWEL_CONNECTIONS_PER_ADDRESS: row({
    option: 'limits.connectionsPerAddress',
    ...count(
      'a number of connections',
      { min: 16, max: 10_000 },
      defaultLimits.connectionsPerAddress,
    ),
    group: 'limits',
    label: { en: 'Connections of an address', de: 'Verbindungen einer Adresse' },
    text: "How many connections one address (of IPv6: one /64 network) may have. With DOWEL_PROXY_HOPS there is no such limit: every connection is the proxy's, and the proxy must have one.",
    example: '1000',
    isOfStart: true,
  }),
  DOWEL_REFUSALS_PER_ADDRESS: row({
    option: 'limits.refusalsPerAddress',
    ...perMinute('refusals', defaultReceptionLimits.refusalsPerAddress),
    group: 'limits',
    label: { en: 'Refusals of an address', de: 'Abweisungen einer Adresse' },
    text: 'Refused events and init JWTs of one address a minute. More are answered 429 with Retry-After.',
    example: '120',
  }),
  DOWEL_EXCHANGES_PER_INSTALLATION: row({
    option: 'limits.exchangesPerInstallation',
    ...perMinute('exchanges', defaultExchangesPerMinute, 10_000),
    group: 'limits',
    label: { en: 'Exchanges of an installation', de: 'Code-Einlösungen einer Installation' },
    text: 'How many codes the events of one installation may exchange in a minute.',
    example: '20',
  }),
  DOWEL_NOTIFICATIONS_PER_SESSION: row({
    option: 'limits.notificationsPerSession',
    ...optionalCount('a number of notifications a minute', { min: 1, max: 1_000_000 }),
    unit: 'perMinute',
    group: 'limits',
    label: { en: 'Notifications of a session', de: 'Benachrichtigungen einer Sitzung' },
    text: 'Notifications a minute of one session, which is one page of a user: those of createNotification and of platform.notify in operations. A call over the limit is answered 429 with Retry-After. Default: the limit of a user.',
    example: '60',
  }),
  DOWEL_NOTIFICATIONS_PER_USER: row({
    option: 'limits.notificationsPerUser',
    ...perMinute('notifications', defaultNotificationLimits.perUserPerMinute),
    group: 'limits',
    label: { en: 'Notifications of a user', de: 'Benachrichtigungen einer Person' },
    text: 'Notifications a minute of one user.',
    example: '60',
  }),
  DOWEL_NOTIFICATIONS_PER_TENANT: row({
    option: 'limits.notificationsPerTenant',
    ...perMinute('notifications', defaultNotificationLimits.perTenantPerMinute),
    group: 'limits',
    label: { en: 'Notifications of a tenant', de: 'Benachrichtigungen eines Mandanten' },
    text: 'Notifications a minute of one plug-in in one tenant.',
    example: '600',
  }),
  DOWEL_NOTIFICATIONS_PER_PROCESS: row({
    option: 'limits.notificationsPerProcess',
    ...perMinute('notifications', defaultNotificationLimits.perProcessPerMinute),
    group: 'limits',
    label: { en: 'Notifications of all', de: 'Benachrichtigungen aller' },
    text: 'Notifications a minute of all tenants together, in one process.',
    example: '6000',
  }),
};

const storage = {
  DOWEL_DATABASE_URL: row({
    option: 'database.url',
    schema: databaseUrl.optional(),
    group: 'storage',
    label: { en: 'PostgreSQL', de: 'PostgreSQL' },
    text: 'PostgreSQL 14 or newer instead of the SQLite file in DOWEL_DATA_DIR: for several hosts.',
    example: 'postgresql://dowel:password@db.example.com:5432/dowel',
    isSecret: true,
  }),
  DOWEL_READY_WITHOUT_DATABASE_SECONDS: row({
    option: 'withoutDatabaseMs',
    ...duration('seconds', { min: 0, max: 3_600 }, 60_000),
    group: 'storage',
    label: { en: 'Ready without PostgreSQL for', de: 'Bereit ohne PostgreSQL für' },
    text: 'For how many seconds a process stays ready while PostgreSQL does not answer, as in a failover. Pages with a known session are served, /readyz answers 200 with the state degraded, and the rest waits. 0: not at all.',
    example: '60',
  }),
  DOWEL_POSTGRES_CONNECTIONS: row({
    option: 'database.connections',
    ...optionalCount('a number', { min: 2, max: 500 }),
    group: 'storage',
    label: { en: 'Connections to PostgreSQL', de: 'Verbindungen zu PostgreSQL' },
    text: "How many connections to PostgreSQL each process has at most, besides up to three: one listens, one is for /readyz, one for migrations and maintenance. The server's max_connections must allow all processes together.",
    example: '10',
  }),
  DOWEL_DATA_DIR: row({
    option: 'database.path',
    schema: z
      .string()
      .default('.data')
      .transform((folder) => resolve(folder, 'dowel.sqlite')),
    group: 'storage',
    label: { en: 'Folder of the SQLite file', de: 'Ordner der SQLite-Datei' },
    text: 'Where the database, its encryption key and the logs are kept.',
    example: '.data',
    fromOption: (path: string) => resolve(path),
  }),
  DOWEL_KEY_FILE: row({
    option: 'keyFile.path',
    schema: z
      .string()
      .transform((path) => resolve(path))
      .optional(),
    group: 'storage',
    label: { en: 'Key file', de: 'Schlüsseldatei' },
    text: 'The file of encryption keys. With NODE_ENV=production it must be there before the first start, and only its owner may read it, or it is a mounted secret. dowel keys create makes it.',
    example: '.data/encryption.key',
  }),
  DOWEL_HISTORY_DAYS: row({
    option: 'limits.historyDays',
    ...count('a number of days', { min: 1, max: 3650 }, 30),
    unit: 'days',
    group: 'storage',
    label: { en: 'History is kept for', de: 'Verlauf bleibt' },
    text: 'How many days the history of events and token requests is kept.',
    example: '30',
  }),
};

/** In the order of the dashboard's page. */
export const settings = {
  ...server,
  ...events,
  ...platform,
  ...sessions,
  ...signIn,
  ...alerts,
  ...limits,
  ...storage,
};

export type SettingName = keyof typeof settings;
export type SettingValues = ValuesOf<typeof settings>;

export const settingNames = Object.keys(settings) as SettingName[];

/** The settings whose value may be in a file that `NAME_FILE` names. */
export const secretNames = settingNames.filter((name) => 'isSecret' in settings[name]);

/** All variables that a program accepts. */
export const dowelVariables = [...settingNames, ...secretNames.map((name) => `${name}_FILE`)];

/** Not as text: the value of a role may contain the comma and the equals sign that separate the rules of the variable. */
function listRoleRules(roles: Partial<Record<OperatorRole, readonly string[]>>): RoleRule[] {
  return operatorRoleSchema.options.flatMap((role) =>
    (roles[role] ?? []).map((value) => ({ role, value })),
  );
}
