/** The options and the result of `createServer`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AlertRule, OperatorRole } from '@dowel/admin-api';
import type {
  EngineLocation,
  Installation,
  ParkedHook,
  UnmatchedPages,
} from '@dowel/installation-store';
import type { TrustRule } from '@dowel/platform-jwt';
import type {
  InstallationStatus,
  Manifest,
  NotificationRequest,
  PlatformProfile,
} from '@dowel/schema';
import type { z } from 'zod';
import type { SignInLink } from './dashboard/sign-in-link.ts';
import type { EventAddress } from './events/event-addresses.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { HookPolicy } from './hooks/policy.ts';
import type { RouteRegistrar } from './http/own-routes.ts';
import type { Log } from './log/log.ts';
import type { Observation } from './observation.ts';
import type { OperationTable } from './operations/operation.ts';
import type { Platform } from './platform/call-platform.ts';
import type { NotifyOptions } from './platform/notify.ts';
import type { InstallationChoice, NotificationOrigin } from './platform/server-platform.ts';
import type { Caller } from './sessions/caller.ts';
import type { NonceRule } from './sessions/session-nonce.ts';

/** One plug-in. */
export interface PluginOptions {
  /** A file, or the manifest itself. Default: `DOWEL_MANIFEST`, or `manifest.json` in the working directory. */
  manifest?: string | URL | Manifest | undefined;
  /** The operations that the plug-in's page may call, by name. Default: none. */
  operations?: OperationTable | undefined;
  /** Called when something has happened to an installation. Default: none. */
  hooks?: Hooks | undefined;
  /**
   * Reads the settings of its widgets (`cfg.*`) for operations and routes; it may have defaults, and must not be
   * asynchronous. If it refuses a widget's settings, that widget's calls are answered 409 CONFIG_INVALID. An operation
   * has the type only if it names the schema itself. Default: any settings.
   */
  config?: z.ZodType | undefined;
  /**
   * The plug-in's built page, served at `plugin/`. Its folder must have an `index.html` when the server opens. Default:
   * it is served elsewhere.
   *
   * `sandbox: false`: outside of the platform's frame, the page has the origin of the server. Its scripts can then do all
   * that an operator of the dashboard may do who opens the page in the same browser. Set `dashboard.origin` first. Default
   * `true`: the page's origin is opaque everywhere, as in the platform's frame.
   */
  frontend?: { directory: string; sandbox?: boolean | undefined } | undefined;
  /** Routes below `api/` for the plug-in's page. Each has a verified session: its caller is in the context. */
  userRoutes?: ((router: RouteRegistrar<{ caller: Caller }>) => void) | undefined;
  /** Routes without a session: anybody may call them. */
  publicRoutes?: ((router: RouteRegistrar<unknown>) => void) | undefined;
}

/** The limits of one process. */
export interface Limits {
  /** Connections of all addresses of the server of `start()`. A fifth is for addresses with few. Default 10,000. */
  connections: number;
  /** Connections of one address of the server of `start()`. Default 1,000. */
  connectionsPerAddress: number;
  /**
   * How long a connection of the server of `start()` may wait for its next request. Whole seconds, 1,000 to 3,600,000.
   * Default 65,000.
   */
  keepAliveTimeoutMs: number;
  /** How long the server of `start()` accepts connections after `close()`, and a host after `drain()`. Default 500. */
  listenAfterCloseMs: number;
  /** How long calls under way may take after that. Default 12,000: longer than a token request. */
  stopGraceMs: number;
  /**
   * Refused events and init JWTs of one address a minute; more are answered 429. Verified events are still accepted.
   * Default 120.
   */
  refusalsPerAddress: number;
  /** Code exchanges a minute for the events of one installation. Default 20. */
  exchangesPerInstallation: number;
  /**
   * Notifications a minute of one session, which is one page of a user: those of `createNotification` and of
   * `platform.notify` in operations. `server.notify` has no such limits. Default: the limit of a user.
   */
  notificationsPerSession: number;
  /** Notifications a minute of one user. Default 60. */
  notificationsPerUser: number;
  /** Notifications a minute of one plug-in in one tenant. Default 600. */
  notificationsPerTenant: number;
  /** Notifications a minute of all tenants. Default 6,000. */
  notificationsPerProcess: number;
  /** Events and token operations are kept for this many days. Default 30. */
  historyDays: number;
}

/** An identity provider at which operators sign in, by OpenID Connect. Register `/admin/api/session/oidc/callback` below the dashboard's address there. */
export interface OidcOptions {
  /** The issuer identifier of the provider. */
  issuer: string;
  /** The id of Dowel as a client of the provider. */
  clientId: string;
  /** Default: a public client, which PKCE alone protects. */
  clientSecret?: string;
  /** Default `openid profile email`. */
  scope?: string;
  /** The claim with an operator's roles or groups. Dots lead into objects. Default `roles`. */
  roleClaim?: string;
  /** The values of the claim that give each role. Unlike in the variable, a value may contain commas. */
  roles: Partial<Record<OperatorRole, readonly string[]>>;
}

/** Rules and channels of alerts. Without `webhook` and `mail`, only the dashboard shows alerts. */
interface AlertOptions {
  /** The rules that are checked. Default: all. */
  rules?: readonly AlertRule[];
  /** Alert when an installation is broken for longer. Whole minutes, 60,000 to 604,800,000. Default 900,000. */
  brokenForMs?: number;
  /** Alert when more of the installations are broken, in percent, and at least five. Default 5. */
  brokenPercent?: number;
  /** Alert when more events and sessions are refused in a minute. Default 60. */
  refusedPerMinute?: number;
  /** Of the messages by webhook and mail. Default `en`. */
  language?: 'en' | 'de';
  /** Of the messages by webhook and mail, such as `Europe/Berlin`. Default `UTC`. */
  timeZone?: string;
  /** `secret`: `whsec_` and 24 to 64 bytes in base64. Requests are signed as in Standard Webhooks. */
  webhook?: { url: string; secret: string };
  /** `smtpUrl`: `smtps://user:password@host:465`, or `smtp://…` for STARTTLS. */
  mail?: { smtpUrl: string; from: string; to: readonly string[] };
}

/** Each option wins over its variable `DOWEL_…`, which wins over the default. */
export interface CommonOptions {
  /** The URL that browsers and the platform see. Its path is the base path. Default `http://localhost:<port>`. */
  publicUrl?: string | undefined;
  /** The interface on which `start()` listens. Default `127.0.0.1`. */
  host?: string | undefined;
  /** Default 4310; 0: any free port. */
  port?: number | undefined;
  /**
   * Serves `GET /metrics` at a port of its own, in the format of Prometheus, from `open` until `close` has ended. `port`: 0 is
   * any free one, which the log names. `host`: the interface, default `127.0.0.1`. Default: no metrics.
   */
  metrics?: { port?: number | undefined; host?: string | undefined } | undefined;
  /**
   * Whose events are believed: `<issuer origin>=<location of its keys>`, separated by commas, or the word `haiilo` for that
   * platform. Default: nobody.
   */
  trust?: string | readonly TrustRule[] | undefined;
  /**
   * Where the APIs of an issuer's tenants may be, besides at the issuer's own origin: `<issuer>=<origin of base_url>`, such as
   * `https://*.example.com=https://api.example.com`. Default: nowhere else.
   */
  apiOrigins?: readonly string[] | undefined;
  /** Hosts of tenants and keys that may have private addresses. Default: none. */
  internalHosts?: readonly string[] | undefined;
  /** The ids that platforms gave these plug-ins. Default: every plug-in is ours. */
  pluginIds?: readonly string[] | undefined;
  /** Our names in the claim `aud`, besides the public URL. Default: none. */
  audience?: readonly string[] | undefined;
  /**
   * `nonce: 'required'`: an init JWT opens a session only if its `jti` is a nonce that this back end gave out at most two
   * minutes ago. Set it when every page asks for one (the adapter's option `nonce`). Default `optional`.
   *
   * `unmatched`: whether a page whose `src` names no placed widget has a session. `until-matched`: only as long as no page
   * of its installation has named one; `refuse`: never; `allow`: always. A removed widget never has. Default
   * `until-matched`.
   */
  sessions?: { nonce?: NonceRule | undefined; unmatched?: UnmatchedPages | undefined } | undefined;
  /**
   * The claims of a page's init JWT that operations and routes get: names such as `ctx.userName`, or `cfg.*` for all that
   * begin so. They are stored encrypted, and end with the session. Default `ctx.*`, `cfg.*` and `stt.edit`; `[]`: none.
   */
  sessionClaims?: readonly string[] | undefined;
  /**
   * `elsewhere`: another server answers `plugin/`, so the `frontend` of a plug-in is neither checked nor served. Default
   * `here`.
   */
  pagesAt?: 'here' | 'elsewhere' | undefined;
  /** Reverse proxies in front whose X-Forwarded-For is believed, 0 to 10. Default 0. */
  proxyHops?: number | undefined;
  /** The path to which a reverse proxy sends the events; below the path of the public URL. Default: the manifest's. */
  eventPath?: string | undefined;
  /** A SQLite file, or PostgreSQL. Default: `dowel.sqlite` in `DOWEL_DATA_DIR`. */
  database?: EngineLocation | undefined;
  /**
   * For how long a process stays ready while PostgreSQL does not answer, in milliseconds. Pages with a known session are
   * served, and the rest waits. Default 60,000; 0: not at all.
   */
  withoutDatabaseMs?: number | undefined;
  /**
   * `path`: the file of encryption keys. Default: `encryption.key` beside the SQLite file. `production`: whether a
   * missing file is an error; otherwise it is made. Default: whether `NODE_ENV` is `production`.
   */
  keyFile?: { path: string; production?: boolean } | undefined;
  /** Values for the gaps of the specification, which differ by platform. */
  profile?: Partial<PlatformProfile> | undefined;
  /** Scopes without which an installation is refused. Default: all that the manifest requests. */
  essentialScopes?: readonly string[] | undefined;
  /**
   * `auto`: the base path is taken off unless the host has done it. `false`: a proxy in front takes it off.
   * Default `auto`.
   */
  stripBasePath?: 'auto' | false | undefined;
  /**
   * The rules of alerts, and the webhook and mail that receive them. Default: all rules, shown on the dashboard only.
   */
  alerts?: AlertOptions | undefined;
  /** Times and limits of hooks. Values that are left out have their defaults. */
  hookPolicy?: Partial<HookPolicy> | undefined;
  /** Limits of this process. Values that are left out have their defaults. */
  limits?: Partial<Limits> | undefined;
  /**
   * The operators' dashboard at `admin/`. `onSignInLink` gets a one-time link at the start: show it where the program
   * runs, never in a log. Without it, `dowel sign-in` prints one.
   *
   * `origin`: the dashboard is served at this host only, and nothing else is served there, so no page of a plug-in or of
   * the host framework can use an operator's cookie. The proxy in front passes the `Host` header on. Default: the origin of
   * the public URL.
   */
  dashboard?:
    | {
        directory: string;
        origin?: string | undefined;
        onSignInLink?(link: SignInLink): void;
        oidc?: OidcOptions;
      }
    | undefined;
  /** Variables `DOWEL_…` and `NODE_ENV`. Default `process.env`; `{}` ignores the environment. */
  environment?: Record<string, string | undefined> | undefined;
  /**
   * Default: JSON lines on standard output. Repeated lines are limited in any log. `console` gets no debug lines, because
   * it would print all of them.
   */
  log?: Log | undefined;
  /** Called with each observation, such as an answered event. Its errors and rejections are ignored. */
  observe?: ((observation: Observation) => void) | undefined;
  /** Epoch milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
  /**
   * For requests to platforms, to the locations of their keys and to the identity provider. Alerts do not use it: the
   * webhook has a fetch of its own. Default: a fetch that connects to private addresses only if they are configured.
   */
  fetch?: typeof fetch | undefined;
}

/** With several plug-ins, each key is the plug-in's path below the base path and its name in the store. */
export type ServerOptions = CommonOptions &
  (PluginOptions | { plugins: Record<string, PluginOptions> });

/** Handles a request of Node, in any framework on it. Resolves when the handler is done with the request. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /**
   * Called for a request outside the base path, also before `open` and after `close`. Its promise is awaited. Without it
   * such a request is answered 404.
   */
  next?: (error?: unknown) => Promise<void> | void,
) => Promise<void>;

/** The addresses of a started server. */
export interface StartedServer {
  url: string;
  /** The port. With the option 0, the free port that was found. */
  port: number;
  /** The URLs to which the platform posts. */
  events: readonly EventAddress[];
  /** The trust rules, with a word such as `haiilo` spelled out. */
  trust: readonly string[];
  /** Missing settings that do not stop the start: one line each. */
  warnings: readonly string[];
}

export interface InstallationQuery {
  status?: InstallationStatus;
  /** As on the dashboard. `broken`: without access; `risk`: access works, or ends, without a way to renew it. */
  group?: 'broken' | 'risk';
  /** The key of one of `plugins`. */
  plugin?: string;
  /** Installations that are read at one time, 1 to 100. Default 50. */
  pageSize?: number;
}

/** Work of this name is done once in each interval, in one of all processes. */
export interface Turn {
  name: string;
  everyMs: number;
}

/** `signal` is aborted when the server stops and its time for work under way is over. */
export type TurnWork = (context: { signal: AbortSignal }) => Promise<void> | void;

export interface Server extends AsyncDisposable {
  /**
   * Opens the store and starts the background work. Waits for a database that is not available. Call it
   * before requests are answered, unless `start` does.
   *
   * @throws ConfigError, StoreError, or ServerClosedError when `close` was called before; TypeError for an operation
   *   with a scope that the manifest does not request.
   */
  open(): Promise<void>;
  /**
   * `open`, then an HTTP server, which ends on SIGINT, on SIGTERM and, if the process was forked with a channel, when its
   * parent ends. A second call gives the same server. A failure closes the server, so another try needs another one.
   *
   * @throws as `open`; ConfigError when the address cannot be used; TypeError after `open` with port 0 and no
   *   `publicUrl`, because the public URL contains the port. This one leaves the server open.
   */
  start(): Promise<StartedServer>;
  /**
   * Not ready any more, and each answer closes its connection. Requests are still answered. Resolves after
   * `limits.listenAfterCloseMs`, when the hooks, the work and the answers that are under way then have ended, or after
   * `graceMs` (default 12,000): then hooks and work are aborted, and answers are cut. Call it before a host framework
   * closes its server. A server that is drained before it opens does not get ready.
   *
   * @throws TypeError for a time that a timer cannot wait, such as Infinity
   */
  drain(options?: { graceMs?: number }): Promise<void>;
  /** `drain`, then the server of `start`, then the last answers of a host, then the store. It is final. */
  close(): Promise<void>;
  /** Resolves when `close` has ended. */
  readonly closed: Promise<void>;
  /**
   * For a host framework: mount it before every body parser. Before `open` and after `close` it answers 503 below the
   * base path. Without a base path, and with a public URL that cannot be used, that is every request.
   */
  callback(): RequestHandler;
  /** For the program itself. Repeated lines are limited. */
  readonly log: Log;
  /** Whether `/readyz` answers 200. */
  isReady(): boolean;
  /** The installations of all tenants. Nothing here is a secret. */
  installations: {
    /** Its first page throws a TypeError for a filter that does not exist. */
    list(query?: InstallationQuery): AsyncIterable<Installation>;
    get(id: string): Promise<Installation | undefined>;
    /** The placed widgets of an installation. */
    instanceIds(id: string): AsyncIterable<string>;
  };
  /**
   * The API of an installation's tenant, for work that no user asked for. An id means the current generation; an
   * installation means its own generation only.
   */
  platform(installation: InstallationChoice): Platform;
  /**
   * Notifies a user from a placed widget.
   *
   * @throws PlatformError, also `INSTALLATION_ENDED` for an installation that is not known; TypeError
   */
  notify(
    from: NotificationOrigin,
    notification: NotificationRequest,
    options?: NotifyOptions,
  ): Promise<void>;
  hooks: {
    /** Deliveries that failed too often and wait for an operator, in the order of their ids. */
    parked(query?: { installationId?: string }): AsyncIterable<ParkedHook>;
    /**
     * Delivers a parked one again. `superseded`: its generation has ended; only `uninstalled` is delivered after
     * that. `unknown`: it is not parked.
     */
    replay(id: string): Promise<'queued' | 'superseded' | 'unknown'>;
    /** For tests: runs the due deliveries, and those that follow at once. Returns the number of attempts. */
    runDue(): Promise<number>;
  };
  /**
   * Runs periodic work in one of all processes. Call it at an interval in each of them, more often than
   * `everyMs`. `drain` and `close` wait for work that has begun, and after them no turn is taken.
   *
   * @returns whether this call ran the work.
   */
  runOnce(turn: Turn, work: TurnWork): Promise<boolean>;
}
