/**
 * The adapter: one handshake however often it is asked for, and what may be done after it. Creating
 * one touches nothing, so it may happen anywhere, on a server too. Each verb is a function of its own
 * module, named like it.
 */
import {
  type AdapterContext,
  type AdapterOptions,
  post,
  warn,
  withLife,
} from './adapter-context.ts';
import { createContext } from './create-context.ts';
import { checkUser } from './greet.ts';
import type { InitRequest, VerifiedInit, View } from './handshake.ts';
import { init } from './init.ts';
import { getToken, type TokenRequest } from './init-token.ts';
import { destroy, retain } from './life.ts';
import { answerSaves, type SaveContext, type SaveHandler } from './save.ts';
import { fetchWithSession, getSession, type Session } from './session.ts';
import { setHeight } from './set-height.ts';

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
export interface Adapter<Config = unknown, Context = unknown, Shown extends View = View> {
  /** The id that the platform gave to this placed widget. */
  readonly srcId: string | null;
  /** Whether there is a page around this one. */
  readonly embedded: boolean;
  /** Aborts when the adapter is destroyed. For functions that go on until then, as `observeHeight`. */
  readonly signal: AbortSignal;
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
  getToken: (request?: TokenRequest) => Promise<string>;
  /**
   * The session with the plug-in's back end, opened by the first call.
   *
   * @throws PluginError as `init`; ERR_SESSION, ERR_NETWORK
   */
  session: () => Promise<Session>;
  /**
   * Calls the back end with the session's bearer, which is renewed once on a 401. Follows no redirect.
   *
   * @throws PluginError as `session`; TypeError for another origin, or when nobody answers
   */
  fetch: (path: string | URL, init?: RequestInit) => Promise<Response>;
  /**
   * Asks the host for a height in CSS pixels. What is asked before `init` is sent after it. Returns
   * whether that is a new height.
   */
  setHeight: (heightPx: number) => boolean;
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

/**
 * Creates an adapter, which says nothing before `init`.
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
  const saving = createSaveContext(context);
  return {
    srcId: context.page.srcId,
    embedded: context.page.embedded,
    signal: context.life.signal,
    init: (request) => init(context, request) as Promise<Init<Config>>,
    getToken: (request) => getToken(context, request),
    session: () => getSession(context),
    fetch: (path, init) => fetchWithSession(context, path, init),
    setHeight: (heightPx) => setHeight(context, heightPx),
    onSave(handler) {
      const control = new AbortController();
      answerSaves(saving, handler, withLife(context, control.signal));
      return () => control.abort();
    },
    onDiagnostic(listener) {
      context.listeners.add(listener);
      return () => context.listeners.delete(listener);
    },
    retain: () => retain(context),
    destroy: () => destroy(context),
  };
}

function createSaveContext(context: AdapterContext): SaveContext {
  return {
    trust: () => context.page,
    hostOrigin: () => context.latest?.hostOrigin,
    checkUser: (claims) => checkUser(context, claims),
    accepted: new Set(),
    post: (message) => post(context, message),
    warn: (diagnosis) => warn(context, diagnosis),
  };
}
