import { type InitClaims, peek } from '../claims.ts';
import { connect } from '../connect.ts';
import { type Adapter, createAdapter } from '../create-adapter.ts';
import type { VerifiedInit } from '../handshake.ts';
import { JwkStore } from './jwk-store.ts';
import { PluginError, timedOut } from './plugin-error.ts';
import { showError } from './show-error.ts';

type View = 'main' | 'config';

export interface PluginResponse {
  claims: InitClaims;
  token: string;
  validated: true;
}

/** True for success without data, false for a refusal, or the configuration to store. Counts once. */
export type Respond = (data: object | boolean) => void;

const maxRememberedTokens = 20;

/**
 * The predecessor's class with its calls and results. Whatever `validate` says, nothing is believed
 * that is not verified; heights and configurations go to the verified host only.
 */
export class PluginAdapter {
  readonly srcId: string;
  readonly #adapters = new Map<View, Adapter>();

  /** @param srcId default: `src` in the page's address */
  constructor(srcId?: string) {
    this.srcId = srcId || (new URLSearchParams(location.search).get('src') ?? '');
  }

  /** Each call asks the host anew, for a token lives a minute. Rejects with a PluginError. */
  async init(config = false, timeoutMs = 60_000, _validate = true): Promise<PluginResponse> {
    if (typeof config !== 'boolean') throw TypeError('init(config, timeout): config is a boolean');
    const view = config ? 'config' : 'main';
    try {
      const { claims, initJwt } = await this.#greet(view, timeoutMs);
      return { claims, token: initJwt, validated: true };
    } catch (cause) {
      const error = new PluginError(cause);
      if (error.code !== timedOut) showError(error);
      throw error;
    }
  }

  /** Answers the host's save requests after `init(true)`. Returns how to stop that. */
  onSave(callback: (respond: Respond, token: string) => void, _validate = true): () => void {
    const tokens = rememberTokens();
    const stop = this.#adapter('config').onSave(
      ({ jti }) => new Promise((resolve) => callback(resolve, tokens.find(jti))),
    );
    return () => {
      tokens.stop();
      stop();
    };
  }

  /** Keeps the frame as high as the first element that matches. Returns how to stop that. */
  observeHeight(config = false, selectors = 'html'): () => void {
    const element = document.querySelector(selectors);
    if (!element) return () => {};
    const adapter = this.#adapter(config ? 'config' : 'main');
    adapter.init().catch(() => {}); // a plug-in that only sets its height never calls init
    return adapter.observeHeight(element);
  }

  async #greet(view: View, timeoutMs: number): Promise<VerifiedInit> {
    const isKnown = this.#adapters.has(view);
    const first = await this.#adapter(view).init({ timeoutMs });
    return isKnown ? connect({ ...this.#options(view), timeoutMs }) : first;
  }

  #adapter(view: View): Adapter {
    const adapter = this.#adapters.get(view) ?? createAdapter(this.#options(view));
    this.#adapters.set(view, adapter);
    return adapter;
  }

  #options(view: View) {
    return { srcId: this.srcId, view, ...JwkStore.getInstance().trust() };
  }
}

/** The core hands verified claims on, the predecessor's callback wants the token they came in. */
function rememberTokens() {
  const tokens: string[] = [];
  const control = new AbortController();
  function onMessage({ data, source }: MessageEvent): void {
    if (source !== parent || typeof data !== 'string') return;
    tokens.push(data);
    if (tokens.length > maxRememberedTokens) tokens.shift();
  }
  addEventListener('message', onMessage, control);
  return {
    find: (jti: string) => tokens.findLast((token) => jtiOf(token) === jti) ?? '',
    stop: () => control.abort(),
  };
}

function jtiOf(token: string): string | undefined {
  try {
    return peek<InitClaims>(token.split('.')[1] as string).jti;
  } catch {
    return undefined;
  }
}
