/**
 * The adapter: one handshake for all calls of `init`, and the verbs after it. Creating an adapter has no
 * effect outside, so it also works on a server. Each verb is a function in a module of the same name.
 */
import { type AdapterOptions, warn } from './adapter-context.ts';
import { createContext } from './create-context.ts';
import type { InitRequest, VerifiedInit, View } from './handshake.ts';
import { init } from './init.ts';
import { getToken, type TokenRequest } from './init-token.ts';
import { destroy, retain } from './life.ts';
import { answerSaves, type SaveHandler } from './save.ts';
import { fetchWithSession, getSession, type Session } from './session.ts';
import { setHeight } from './set-height.ts';

export interface MainInit<Config = unknown, Context = unknown> extends VerifiedInit<Context> {
  readonly view: 'main';
  readonly config: Config;
}

export interface ConfigInit<Config = unknown, Context = unknown> extends VerifiedInit<Context> {
  readonly view: 'config';
  /** Undefined if `parseConfig` refused the stored configuration, which is then written again. */
  readonly config: Config | undefined;
}

/** The result of `init`. If the view's type is not known, `view` tells which one it is. */
export type Init<
  Config = unknown,
  Context = unknown,
  Shown extends View = View,
> = Shown extends 'main' ? MainInit<Config, Context> : ConfigInit<Config, Context>;

/**
 * `Config` is the type that `parseConfig` returns, `Context` the type of the claims that the manifest's
 * `context` requests.
 */
export interface Adapter<Config = unknown, Context = unknown, Shown extends View = View> {
  /** The id that the platform assigned to this placed widget. */
  readonly srcId: string | null;
  /** True inside an iframe. */
  readonly embedded: boolean;
  /** Aborts when the adapter is destroyed. For functions that run until then, such as `observeHeight`. */
  readonly signal: AbortSignal;
  /**
   * Performs the handshake with the platform's page and verifies its token. All calls share one handshake and
   * one promise, with the first call's signal and time limit. After a failure the next call tries again.
   *
   * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED, ERR_DESTROYED, ERR_CONFIG,
   * ERR_OPTIONS
   */
  init: (request?: InitRequest) => Promise<Init<Config, Context, Shown>>;
  /**
   * The raw init token, for your own back end; `fetch` does not need it. It is renewed if it has opened a
   * session or has less time left than `minValidityMs`. Default 10,000; a token is valid for 60 s. If the
   * host does not answer within two seconds, a valid token is returned without renewal.
   *
   * @throws PluginError as `init`; ERR3 when another user has signed in meanwhile
   */
  getToken: (request?: TokenRequest) => Promise<string>;
  /**
   * The session with the plug-in's back end. The first call opens it.
   *
   * @throws PluginError as `init`; ERR_SESSION, ERR_NETWORK
   */
  session: () => Promise<Session>;
  /**
   * Calls the back end with the session's bearer, which is renewed once on a 401. Follows no redirect. The
   * answer and its body have 60 s together. If the request accepts another type than JSON, such as
   * `text/event-stream`, only its headers have.
   *
   * @throws PluginError as `session`; TypeError for another origin, or when nobody answers; TimeoutError; the
   * reason of your signal, also while the session is being opened
   */
  fetch: (path: string | URL, init?: RequestInit) => Promise<Response>;
  /**
   * Requests a height in CSS pixels from the host. A request before `init` is sent after it. Returns whether
   * the height is new.
   */
  setHeight: (heightPx: number) => boolean;
  /** In the view `config`: answers each press of the platform's save button once. Returns a function that stops it. */
  onSave: (handler: SaveHandler<Config, Context>) => () => void;
  /** Receives human-readable diagnostics, never secrets. Returns a function that stops it. */
  onDiagnostic: (listener: (diagnosis: string) => void) => () => void;
  /** Passes a diagnosis to the listeners of `onDiagnostic`, for code that uses an adapter. Never a secret. */
  diagnose: (diagnosis: string) => void;
  /**
   * Delays `destroy` until the returned function is called, for code that uses an adapter but did not create
   * it. That function does not destroy the adapter.
   */
  retain: () => () => void;
  /**
   * Ends everything after the current task, or after the last holder has released the adapter (`retain`).
   * Only the adapter's creator calls this.
   */
  destroy: () => void;
}

/**
 * Creates an adapter. It sends nothing before `init`.
 *
 * @example
 * const adapter = createAdapter({ jkuOrigins: ['https://keys.example.com'] });
 * const { claims, config } = await adapter.init();
 *
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
  const context = createContext(options as AdapterOptions<unknown>);
  return {
    srcId: context.page.srcId,
    embedded: context.page.embedded,
    signal: context.life.signal,
    init: (request) => init(context, request) as Promise<Init<Config>>,
    getToken: (request) => getToken(context, request),
    session: () => getSession(context),
    fetch: (path, init) => fetchWithSession(context, path, init),
    setHeight: (heightPx) => setHeight(context, heightPx),
    onSave: (handler) => answerSaves(context, handler),
    onDiagnostic(listener) {
      context.listeners.add(listener);
      return () => context.listeners.delete(listener);
    },
    diagnose: (diagnosis) => warn(context, diagnosis),
    retain: () => retain(context),
    destroy: () => destroy(context),
  };
}
