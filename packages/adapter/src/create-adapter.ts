/**
 * The adapter: one handshake however often it is asked for, and what may be done after it. Creating
 * one touches nothing, so it may happen anywhere, on a server too.
 */
import type { InitClaims } from './claims.ts';
import {
  createHandshake,
  type HandshakeOptions,
  type InitRequest,
  isText,
  type VerifiedInit,
} from './handshake.ts';
import { followHeight } from './height.ts';
import { fail, PluginError } from './plugin-error.ts';
import { decideSave, type SaveHandler } from './save.ts';
import {
  createSessionClient,
  type SessionClient,
  type SessionOptions,
  type SessionRequest,
} from './session.ts';

export interface AdapterOptions<Config> extends HandshakeOptions, SessionOptions {
  /** For a handshake, the key's download included. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  /** Reads the stored configuration, such as a zod schema's `parse`; `{}` when there is none. */
  parseConfig?: ((stored: unknown) => Config | Promise<Config>) | undefined;
}

export interface Init<Config> extends VerifiedInit {
  /** Undefined only in the view `config`, when `parseConfig` refused what is stored. */
  readonly config: Config;
}

export interface Adapter<Config = unknown> extends SessionClient {
  /** The id that the platform gave to this placed widget. */
  readonly srcId: string | null;
  /** Whether there is a page around this one. */
  readonly embedded: boolean;
  /**
   * Meets the platform's page and verifies it. However often it is called there is one handshake and
   * one promise, with the first call's signal and time; after a failure the next call tries again.
   *
   * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED, ERR_DESTROYED, ERR_CONFIG
   */
  init: (request?: InitRequest) => Promise<Init<Config>>;
  /**
   * The raw init token, renewed when it has less time left than this, or has opened a session.
   * Default 10,000; a token lives 60 s. For a back end of your own: `fetch` needs none of it.
   *
   * @throws PluginError as `init`; ERR3 when another user has signed in meanwhile
   */
  getToken: (request?: { minValidityMs?: number }) => Promise<string>;
  /** Asks the host for a height in CSS pixels. What is asked before `init` is sent after it. */
  setHeight: (heightPx: number) => void;
  /** Keeps the frame as high as the element, by default the body. Returns how to stop that. */
  observeHeight: (element?: Element) => () => void;
  /** In the view `config`: answers the platform's save button, once. Returns how to stop that. */
  onSave: (handler: SaveHandler<Config>) => () => void;
  /** Told, in plain English, of what is seen on the way; never of a secret. Returns how to stop. */
  onDiagnostic: (listener: (diagnosis: string) => void) => () => void;
  /** Keeps the adapter alive over `destroy` until the returned function is called, once. */
  retain: () => () => void;
  /** Ends everything after the current task, unless the adapter is retained then. */
  destroy: () => void;
}

export function createAdapter<Config = unknown>(options: AdapterOptions<Config>): Adapter<Config> {
  const { view, parseConfig = (stored) => stored as Config } = options;
  const life = new AbortController();
  const listeners = new Set<(diagnosis: string) => void>();
  const saves = new Set<string>();
  const [shakeHands, verify, iss, srcId, embedded] = createHandshake(options, warn);
  let initial: Promise<Init<Config>> | undefined;
  let renewal: Promise<unknown> | undefined;
  let latest: VerifiedInit | undefined;
  let user: string | undefined;
  let expiresAt = 0;
  let lastPx: number | undefined;
  let holders = 0;

  function warn(diagnosis: string | Error): void {
    for (const listener of listeners) setTimeout(listener, 0, `${diagnosis}`);
  }

  function withLife(signal?: AbortSignal | null): AbortSignal {
    return signal ? AbortSignal.any([life.signal, signal]) : life.signal;
  }

  async function greet(request?: InitRequest): Promise<VerifiedInit> {
    const verified = await shakeHands({
      ...options,
      ...request,
      signal: withLife(request?.signal),
    });
    const { exp, iat } = checkUser(verified.claims);
    latest = verified;
    expiresAt = Date.now() + (exp - iat) * 1000;
    return verified;
  }

  async function start(request?: InitRequest): Promise<Init<Config>> {
    const verified = await greet(request);
    let config: Config | undefined;
    try {
      config = await parseConfig(verified.claims.cfg);
    } catch (error) {
      if (view !== 'config') fail('ERR_CONFIG', `${error as Error}`, error);
    }
    sendHeight();
    return { ...verified, config: config as Config };
  }

  function init(request?: InitRequest): Promise<Init<Config>> {
    initial ??= start(request).catch((error) => {
      initial = undefined;
      throw error;
    });
    return initial;
  }

  async function getToken({ minValidityMs = 10_000 } = {}): Promise<string> {
    await init();
    if (expiresAt - Date.now() < minValidityMs) {
      renewal ??= greet().finally(() => {
        renewal = undefined;
      });
      await renewal;
    }
    return (latest as VerifiedInit).initJwt;
  }

  async function takeSessionRequest(): Promise<SessionRequest> {
    const initJwt = await getToken({ minValidityMs: 0 });
    expiresAt = 0; // A token opens one session; whoever asks again gets another.
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

  function destroy(): void {
    setTimeout(() => {
      if (holders) return;
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
      async function onMessage(message: MessageEvent): Promise<void> {
        const { data, origin, source } = message;
        if (source !== parent || origin !== latest?.hostOrigin || !isText(data)) return;
        const claims = checkUser(await verify(message, 'save', signal));
        const { jti } = claims;
        if (saves.has(jti)) return;
        saves.add(jti);
        post({ sub: 'setConfig', jti, data: await decideSave(handler, claims, warn) });
      }
      addEventListener('message', (message) => onMessage(message).catch(warn), { signal });
      return stop;
    },
    onDiagnostic(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retain() {
      holders += 1;
      return () => {
        holders -= 1;
        destroy();
      };
    },
    destroy,
  };
}
