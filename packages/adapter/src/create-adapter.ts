/**
 * The adapter: one handshake however often it is asked for, and what may be done after it. Creating
 * one touches nothing, so it may happen anywhere, on a server too.
 */
import type { InitClaims } from './claims.ts';
import {
  createHandshake,
  type HandshakeOptions,
  type InitRequest,
  type VerifiedInit,
  type View,
} from './handshake.ts';
import { followHeight } from './height.ts';
import { checkOptions, handshakeOptions, type KnownOptions, requestOptions } from './options.ts';
import { fail, PluginError } from './plugin-error.ts';
import { answerSaves, type SaveContext, type SaveHandler } from './save.ts';
import {
  createSessionClient,
  type SessionClient,
  type SessionOptions,
  type SessionRequest,
  sessionOptions,
} from './session.ts';
import { wait } from './signing-keys.ts';

export interface AdapterOptions<Config> extends HandshakeOptions, SessionOptions {
  /** For a handshake, the key's download included. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  /** Reads the stored configuration, such as a zod schema's `parse`; `{}` when there is none. */
  parseConfig?: ((stored: unknown) => Config | Promise<Config>) | undefined;
}

export interface MainInit<Config = unknown, Context = unknown> extends VerifiedInit<Context> {
  readonly view: 'main';
  readonly config: Config;
}

export interface ConfigInit<Config = unknown, Context = unknown> extends VerifiedInit<Context> {
  readonly view: 'config';
  /** Undefined when `parseConfig` refused what is stored: it is written anew. */
  readonly config: Config | undefined;
}

/** What `init` comes to. Where the view is not known beforehand, `view` tells which it is. */
export type Init<
  Config = unknown,
  Context = unknown,
  Shown extends View = View,
> = Shown extends 'main' ? MainInit<Config, Context> : ConfigInit<Config, Context>;

/** `Config` is what `parseConfig` returns, `Context` what the manifest's `context` asked for. */
export interface Adapter<Config = unknown, Context = unknown, Shown extends View = View>
  extends SessionClient {
  /** The id that the platform gave to this placed widget. */
  readonly srcId: string | null;
  /** Whether there is a page around this one. */
  readonly embedded: boolean;
  /**
   * Meets the platform's page and verifies it. However often it is called there is one handshake and
   * one promise, with the first call's signal and time; after a failure the next call tries again.
   *
   * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED, ERR_DESTROYED, ERR_CONFIG,
   * ERR_OPTIONS
   */
  init: (request?: InitRequest) => Promise<Init<Config, Context, Shown>>;
  /**
   * The raw init token, renewed when it has less time left than this, or has opened a session.
   * Default 10,000; a token lives 60 s. While it lives and the host does not answer, it is given as
   * it is, after two seconds at most. For a back end of your own: `fetch` needs none of it.
   *
   * @throws PluginError as `init`; ERR3 when another user has signed in meanwhile
   */
  getToken: (request?: { minValidityMs?: number }) => Promise<string>;
  /** Asks the host for a height in CSS pixels. What is asked before `init` is sent after it. */
  setHeight: (heightPx: number) => void;
  /** Keeps the frame as high as the element, by default the body. Returns how to stop that. */
  observeHeight: (element?: Element) => () => void;
  /** In the view `config`: answers the platform's save button, once. Returns how to stop that. */
  onSave: (handler: SaveHandler<Config, Context>) => () => void;
  /** Told, in plain English, of what is seen on the way; never of a secret. Returns how to stop. */
  onDiagnostic: (listener: (diagnosis: string) => void) => () => void;
  /**
   * Puts `destroy` off until the returned function is called. For whoever uses an adapter that somebody
   * else has created: it alone ends nothing.
   */
  retain: () => () => void;
  /** Ends everything after the current task, or after the last one has let it go. Its creator's to call. */
  destroy: () => void;
}

const adapterOptions: KnownOptions = {
  ...handshakeOptions,
  ...sessionOptions,
  parseConfig: 'function',
};

/** How long a renewal may keep a caller waiting who could have the token that is held. */
const renewalPatienceMs = 2_000;

/**
 * @throws PluginError ERR_OPTIONS, which names the option that is wrong and what to write
 */
export function createAdapter<Config = unknown, Context = unknown>(
  options: AdapterOptions<Config> & { view: 'config' },
): Adapter<Config, Context, 'config'>;
export function createAdapter<Config = unknown, Context = unknown>(
  options: AdapterOptions<Config> & { view?: 'main' | undefined },
): Adapter<Config, Context, 'main'>;
export function createAdapter<Config = unknown, Context = unknown>(
  options: AdapterOptions<Config>,
): Adapter<Config, Context>;
export function createAdapter<Config>(options: AdapterOptions<Config>): Adapter<Config> {
  checkOptions(options, adapterOptions);
  const { view = 'main', timeoutMs = 60_000, parseConfig = (stored) => stored as Config } = options;
  const life = new AbortController();
  const listeners = new Set<(diagnosis: string) => void>();
  const { shakeHands, verify, iss, srcId, embedded } = createHandshake(options, warn);
  let initial: Promise<Init<Config>> | undefined;
  let renewal: Promise<unknown> | undefined;
  let latest: VerifiedInit | undefined;
  let user: string | undefined;
  /** How long the latest init token still serves. */
  let remainingMs = () => 0;
  let lastPx: number | undefined;
  const holders = new Set<object>();
  let isEnding = false;

  function warn(diagnosis: string | Error): void {
    for (const listener of listeners) setTimeout(listener, 0, `${diagnosis}`);
  }

  function withLife(signal?: AbortSignal | null): AbortSignal {
    return signal ? AbortSignal.any([life.signal, signal]) : life.signal;
  }

  async function greet(request: InitRequest = {}): Promise<VerifiedInit> {
    const ageMs = startStopwatch(); // A token is not older than the hello that it answers.
    const verified = await shakeHands({
      timeoutMs: request.timeoutMs ?? timeoutMs,
      signal: withLife(request.signal),
    });
    const { exp, iat } = checkUser(verified.claims);
    latest = verified;
    remainingMs = () => (exp - iat) * 1000 - ageMs();
    return verified;
  }

  async function start(request: InitRequest = {}): Promise<Init<Config>> {
    checkOptions(request, requestOptions);
    const verified = await greet(request);
    const config = await readConfig(verified.claims.cfg, withLife(request.signal));
    sendHeight();
    return { ...verified, view, config: config as Config };
  }

  /** `parseConfig` takes the time that it needs, until the adapter or the caller gives up. */
  async function readConfig(stored: unknown, signal: AbortSignal): Promise<Config | undefined> {
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined));
    });
    let config: Config | undefined;
    try {
      config = await Promise.race([parseConfig(stored), aborted]);
    } catch (error) {
      if (view !== 'config') fail('ERR_CONFIG', `${error as Error}`, error);
    }
    if (signal.aborted) fail('ERR_ABORTED', 'Aborted', signal.reason);
    return config;
  }

  function init(request?: InitRequest): Promise<Init<Config>> {
    initial ??= start(request).catch((error) => {
      initial = undefined;
      throw error;
    });
    return initial;
  }

  async function getToken(request: { minValidityMs?: number } = {}): Promise<string> {
    checkOptions(request, { minValidityMs: 'number' });
    const { minValidityMs = 10_000 } = request;
    await init();
    const leftMs = remainingMs();
    if (leftMs <= 0 || leftMs < minValidityMs) await renew();
    return (latest as VerifiedInit).initJwt;
  }

  /** Gives up on a host that is silent, or on a key that is away, while the token in hand lives. */
  async function renew(): Promise<void> {
    renewal ??= greet().finally(() => {
      renewal = undefined;
    });
    const patienceMs = Math.min(renewalPatienceMs, remainingMs() / 2);
    try {
      await (patienceMs > 0 ? Promise.race([renewal, wait(patienceMs)]) : renewal);
    } catch (error) {
      const isPassing = error instanceof PluginError && error.retryable;
      if (!isPassing || remainingMs() <= 0) throw error;
    }
  }

  async function takeSessionRequest(): Promise<SessionRequest> {
    const initJwt = await getToken({ minValidityMs: 0 });
    remainingMs = () => 0; // A token opens one session; whoever asks again gets another.
    return { initJwt, instanceId: srcId };
  }

  /** Another user may sign in on the host's page while this one is open. */
  function checkUser(claims: InitClaims): InitClaims {
    const { tenantId, userId } = claims.ctx;
    const claimed = [claims.iss, tenantId, userId].join();
    user ??= claimed;
    if (user !== claimed) fail('ERR3', 'New user: reload');
    return claims;
  }

  function post(message: object): void {
    if (latest) parent.postMessage({ iss, ...message }, latest.hostOrigin);
  }

  /** @returns whether that is a new height */
  function setHeight(heightPx: number): boolean {
    const height = Math.ceil(heightPx);
    const isNew = height >= 0 && height < Infinity && height !== lastPx;
    if (isNew) {
      lastPx = height;
      sendHeight();
    }
    return isNew;
  }

  function sendHeight(): void {
    if ((lastPx as number) >= 0) post({ sub: 'setHeight', height: lastPx });
  }

  /** Until it is stopped, or the adapter destroyed. */
  function untilStopped(): [signal: AbortSignal, stop: () => void] {
    const control = new AbortController();
    return [withLife(control.signal), () => control.abort()];
  }

  const saving: SaveContext = {
    verify,
    hostOrigin: () => latest?.hostOrigin,
    checkUser,
    accepted: new Set(),
    post,
    warn,
  };

  function destroy(): void {
    isEnding = true;
    setTimeout(() => {
      if (holders.size) return;
      initial = undefined;
      latest = undefined;
      life.abort(new PluginError('ERR_DESTROYED', 'Aborted'));
    });
  }

  return {
    srcId,
    embedded,
    init,
    getToken,
    ...createSessionClient(options, takeSessionRequest, withLife),
    setHeight,
    observeHeight(element = document.body) {
      const [signal, stop] = untilStopped();
      if (!signal.aborted) followHeight(element, setHeight, signal);
      return stop;
    },
    onSave(handler) {
      const [signal, stop] = untilStopped();
      answerSaves(saving, handler, signal);
      return stop;
    },
    onDiagnostic(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retain() {
      const holder = {};
      holders.add(holder);
      return () => {
        holders.delete(holder);
        if (isEnding) destroy();
      };
    },
    destroy,
  };
}

/**
 * The time since now in milliseconds, by the clock that says more: a device's clock may be set back,
 * and the monotonic one may stand still while the device sleeps.
 */
function startStopwatch(): () => number {
  const startedAt = performance.now();
  const startedAtDate = Date.now();
  return () => Math.max(performance.now() - startedAt, Date.now() - startedAtDate);
}
