import { readOptions } from '../options.ts';
import { JwkStore, readTimeout } from './jwk-store.ts';
import type { JwtClaims } from './jwt.ts';
import { PluginError, timedOut } from './plugin-error.ts';
import { type PluginAdapterOptions, PluginView } from './plugin-view.ts';
import { hideError, showError } from './show-error.ts';

/** Where the platform publishes the keys of its tenants. A test compares them with known-platforms.ts of `@dowel/schema`. */
const platformKeyHosts = [
  'https://plugins.coyoapp.com',
  'https://certificates.plugins.coyoapp.com',
];

export interface PluginResponse {
  claims: JwtClaims;
  token: string;
  validated: true;
}

/** True for success without data, false for a refusal, or the configuration to store. Only the first call counts. */
export type Respond = (data: object | boolean) => void;

/**
 * The predecessor's class with its calls and results. Tokens are always verified, for any `validate`. Heights
 * and configurations go only to the verified host.
 */
export class PluginAdapter {
  readonly srcId: string;
  readonly #main: PluginView;
  readonly #config: PluginView;

  /**
   * Adds the platform's key hosts to the JwkStore.
   *
   * @param srcId default: `src` in the page's address
   * @param options an addition to the predecessor: the issuers and pages to believe
   * @throws PluginError of the core: ERR_OPTIONS, for an option's name or value
   */
  constructor(srcId?: string, options: PluginAdapterOptions = {}) {
    const known: Required<PluginAdapterOptions> = { issuers: undefined, parentOrigin: undefined };
    const own = { ...readOptions(options, known), srcId };
    this.#main = new PluginView({ ...own, view: 'main' });
    this.#config = new PluginView({ ...own, view: 'config' });
    this.srcId = this.#main.srcId;
    for (const host of platformKeyHosts) JwkStore.getInstance().addHost(host);
  }

  /**
   * Each call is one handshake, because a token is valid for a minute. A key is loaded once per page.
   *
   * @param timeoutMs for the whole call, including the key's download. Default 60,000
   * @throws PluginError; TypeError for arguments of another kind
   */
  async init(config = false, timeoutMs = 60_000, _validate = true): Promise<PluginResponse> {
    if (typeof config !== 'boolean') throw TypeError('init(config, timeout): config is a boolean');
    const limitMs = readTimeout(timeoutMs);
    try {
      const { claims, initJwt } = await this.#view(config).init(limitMs);
      hideError();
      return { claims, token: initJwt, validated: true };
    } catch (cause) {
      const error = new PluginError(cause);
      if (error.code !== timedOut) showError(error);
      throw error;
    }
  }

  /**
   * Answers the host's save requests after `init(true)`, within 30 s. Replaces the previous callback. Returns
   * a function that stops it.
   */
  onSave(callback: (respond: Respond, token: string) => void, _validate = true): () => void {
    return this.#config.onSave(
      (_claims, _signal, saveJwt) =>
        new Promise((resolve, reject) => {
          Promise.resolve(callback(resolve, saveJwt)).catch(reject);
        }),
    );
  }

  /**
   * Keeps the frame as high as the first element that matches. Replaces the previous element. Returns a
   * function that stops it.
   */
  observeHeight(config = false, selectors = 'html'): () => void {
    const element = document.querySelector(selectors);
    return element ? this.#view(config).observeHeight(element) : () => {};
  }

  #view(config: boolean): PluginView {
    return config ? this.#config : this.#main;
  }
}
