/**
 * The platform as a library: tenants, their authorization servers, and the events that plug-ins are
 * installed with. All state is in memory and belongs to the object that `createPlatform` returns. Another
 * platform can continue from a snapshot of it.
 */
import type { RequestListener } from 'node:http';
import { assertMilliseconds } from '@dowel/schema';
import Koa from 'koa';
import { answerErrors } from './answer-errors.ts';
import type { Rules } from './authorization-server/index.ts';
import { createChanges } from './changes.ts';
import type { Exchange, WireForms } from './control-api.ts';
import { toControlRoute } from './control-route.ts';
import { createControlRoutes } from './control-routes.ts';
import { createControlSessions } from './control-session.ts';
import type { Environment, Tolerance } from './environment.ts';
import { createExchangeLog, type ExchangeRecord, viewExchange } from './exchange-log.ts';
import { createFaults } from './faults.ts';
import { createOperations, type Operations } from './operations.ts';
import type { OwnRoute } from './own-route.ts';
import { createPlatformRoutes, refuseOtherApi } from './platform-routes.ts';
import { recordExchanges } from './record-exchanges.ts';
import { createSigningKeys } from './signing-keys.ts';
import { emptySnapshot, type Snapshot, tenantPart } from './snapshot.ts';
import { createTenantState, type TenantState } from './tenant-state.ts';
import { seedTenants, type TenantSeed } from './tenants.ts';

export interface PlatformOptions {
  /** The platform's origin, for example `http://localhost:4300`: no path, no final slash. */
  origin: string;
  /** Real time in epoch milliseconds. Default `Date.now`. */
  now?: () => number;
  /** Sends events, and reads manifests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Default: those of `seedTenants`. */
  tenants?: TenantSeed[];
  /** Length of the RSA key that signs events; 2048 makes tests quick. Default 4096. */
  keyBits?: number;
  /** Stands in the name of each key's document, so that two platforms may share one origin. Default: nothing. */
  keyMark?: string;
  /** Routes of the control API beside its own. Default: none. */
  routes?: readonly OwnRoute[];
  /** How long a back end may take for an event, or for its manifest. Default 30,000. */
  timeoutMs?: number;
  /** Whether an event's JWT is sent in a form, as the platform does, or in JSON (Spec §4.4). Default `form`. */
  eventFormat?: 'form' | 'json';
  /** The form of the `src` of widgets' pages, at each tenant. Default: that of the snapshot, else `composed`. */
  src?: WireForms['src'] | undefined;
  /**
   * What each tenant's authorization server does in another way than `strictRules`, such as `lenientRules`. Default: as
   * the snapshot has it, else nothing.
   */
  rules?: Partial<Rules> | undefined;
  /** Pauses before each re-sending of an unanswered uninstall, instance_add or instance_remove. Default 2,000, 10,000 and 30,000. */
  resendDelaysMs?: readonly number[];
  /**
   * Mistakes of back ends that the platform accepts: `basic.encoding`, id and secret that were form-encoded, or encoded as
   * Latin-1 or base64url; `status.2xx`, any status of success for an event. Default: none.
   */
  tolerate?: readonly Tolerance[];
  /** The state to continue from. Without it nothing is installed. */
  snapshot?: Snapshot | undefined;
  /** Called after each change of the state in a snapshot, often several times for one request. */
  onStateChange?: (() => void) | undefined;
  /** Called with each request in and out, when it is over. Secrets are masked. */
  onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Called with defects of the emulator itself. Default: they are ignored. */
  onError?: (error: unknown) => void;
}

export interface Platform extends Operations {
  readonly origin: string;
  /** Answers `/control`, `/t` and `/certificates`, and everything else with 404. */
  callback(): RequestListener;
  /**
   * A link that signs a user in to the emulator's pages. It works once, and until the platform closes.
   *
   * @param path of the page that it leads to. Default `/`.
   * @throws PlatformError `USER_NOT_FOUND`
   */
  signInUrl(userId: string, path?: string): string;
  /** A copy of the whole state, as plain JSON. It contains secrets: keep it private. */
  snapshot(): Snapshot;
  /** Ends open streams and pending deliveries. The caller closes the HTTP server. */
  close(): void;
}

const goneCodes = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'];

/**
 * Creates the emulated platform. It has no socket of its own: give `callback()` to an HTTP server that
 * listens at `origin`, and call `close()` before that server closes. Defaults: the tenants of
 * `seedTenants`, an RSA key of 4,096 bits, 30,000 ms for an event, re-sending after 2,000, 10,000 and
 * 30,000 ms, the global `fetch`.
 *
 * @example
 * const platform = createPlatform({ origin, keyBits: 2048 });
 * server.on('request', platform.callback());
 *
 * @throws TypeError when `origin` is not an http(s) origin, or not the one of the snapshot, for a time
 * that is not a number of milliseconds, and for a key of less than 2,048 bits.
 */
export function createPlatform(options: PlatformOptions): Platform {
  const { origin, tenants = seedTenants() } = options;
  if (URL.parse(origin)?.origin !== origin || !/^https?:/.test(origin)) {
    throw new TypeError('origin must be an http(s) origin without a path');
  }
  const memory = structuredClone(options.snapshot ?? emptySnapshot(origin));
  if (memory.origin !== origin) throw new TypeError('the snapshot belongs to another origin');
  const closing = new AbortController();
  const env = createEnvironment(options, memory, closing.signal);
  const openTenant = (seed: TenantSeed) => openTenantState(options, env, { seed, memory });
  const states = [...tenants, ...addedTenants(memory, tenants)].map(openTenant);
  const operations = createOperations(env, states, (seed) => {
    tenantPart(memory, seed.tenantId).added = { slug: seed.slug, name: seed.name };
    return openTenant(seed);
  });
  const sessions = createControlSessions(memory.sessions, {
    origin,
    onChange: env.changes.publishState,
  });
  const app = new Koa();
  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client that disconnects is not a fault: every event stream ends this way.
    if (!goneCodes.includes(error.code ?? '')) options.onError?.(error);
  });
  app.use(recordExchanges(env, states));
  app.use(answerErrors());
  const control = { env, operations, sessions };
  const controlRoutes = createControlRoutes(control, (options.routes ?? []).map(toControlRoute));
  for (const router of [createPlatformRoutes(env, states), controlRoutes]) {
    app.use(router.routes()).use(router.allowedMethods());
  }
  app.use(refuseOtherApi(states));

  return {
    ...operations,
    origin,
    callback: () => app.callback(),
    signInUrl(userId, path = '/') {
      operations.findUser(userId);
      const query = new URLSearchParams({ token: sessions.createToken(userId), path });
      return `${origin}/control/sign-in?${query.toString()}`;
    },
    snapshot: () => structuredClone(memory),
    close: () => closing.abort(),
  };
}

/** Those of the snapshot that are not among the options. */
function addedTenants(memory: Snapshot, tenants: readonly TenantSeed[]): TenantSeed[] {
  return memory.tenants.flatMap(({ tenantId, added }) => {
    const isAdded = added && !tenants.some((each) => each.tenantId === tenantId);
    return isAdded ? [{ tenantId, ...added, users: [] }] : [];
  });
}

/** The state of a tenant that behaves as the options say. Its part of `memory` is added if it is missing. */
function openTenantState(
  options: PlatformOptions,
  env: Environment,
  { seed, memory }: { seed: TenantSeed; memory: Snapshot },
): TenantState {
  const state = createTenantState(seed, {
    origin: env.origin,
    now: env.now,
    part: tenantPart(memory, seed.tenantId),
    toleratesBasicMistakes: env.tolerates.includes('basic.encoding'),
  });
  const { lab } = state;
  lab.forms.src = options.src ?? lab.forms.src;
  Object.assign(lab, structuredClone(options.rules));
  return state;
}

/** RFC 7518 §3.3: no receiver accepts a shorter key. */
function assertKeyBits(keyBits: number): void {
  if (Number.isInteger(keyBits) && keyBits >= 2048) return;
  throw new TypeError(`keyBits must be a whole number of at least 2048, not ${keyBits}`);
}

/** @throws TypeError for a time that is not a number of milliseconds, and for a short key. */
function createEnvironment(
  options: PlatformOptions,
  memory: Snapshot,
  closed: AbortSignal,
): Environment {
  const {
    timeoutMs = 30_000,
    resendDelaysMs = [2_000, 10_000, 30_000],
    keyBits = 4096,
    keyMark = '',
  } = options;
  assertMilliseconds(timeoutMs, 'timeoutMs');
  for (const delayMs of resendDelaysMs) assertMilliseconds(delayMs, 'resendDelaysMs');
  assertKeyBits(keyBits);
  const changes = createChanges(options.onStateChange ?? (() => undefined));
  const onEnd = (record: ExchangeRecord) => {
    if (record.tenantId === null) changes.publishState();
    else changes.publishExchanges(record.tenantId);
    try {
      options.onExchange?.(viewExchange(record, { reveal: false }));
    } catch (error) {
      options.onError?.(error);
    }
  };
  return {
    origin: options.origin,
    now: options.now ?? Date.now,
    fetch: options.fetch ?? fetch,
    signingKeys: createSigningKeys(memory, { changes, keyBits, keyMark }),
    changes,
    exchanges: createExchangeLog(memory.exchanges, { onEnd, closed }),
    faults: createFaults(changes.publishFaults),
    closed,
    timeoutMs,
    tolerates: options.tolerate ?? [],
    eventFormat: options.eventFormat ?? 'form',
    resendDelaysMs,
  };
}
