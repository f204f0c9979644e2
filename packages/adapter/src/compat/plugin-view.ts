import type { InitClaims } from '../claims.ts';
import { createHandshake, type HandshakeOptions, type VerifiedInit } from '../handshake.ts';
import { followHeight } from '../height.ts';
import { fail } from '../plugin-error.ts';
import { answerSaves, type SaveHandler } from '../save.ts';
import {
  createVerifier,
  type DownloadedKeys,
  type TrustOptions,
  type VerifyToken,
} from '../verify-token.ts';
import { JwkStore } from './jwk-store.ts';

/** Which of the platform's pages and tenants count. The predecessor believed each of them. */
export interface PluginAdapterOptions {
  /** Whose tokens are believed, instead of everybody's whose key JwkStore has or may load. */
  issuers?: TrustOptions['issuers'];
  /** The pages that tokens may come from. Default: the origin of their issuer. */
  parentOrigin?: TrustOptions['parentOrigin'];
}

const defaultTimeoutMs = 60_000;

/**
 * One of a plug-in's two pages, as the predecessor treats it: every init is one handshake, with the
 * keys that are trusted then; heights and answers go to the page that was verified last.
 */
export class PluginView {
  readonly #options: HandshakeOptions;
  readonly #acceptedSaves = new Set<string>();
  #latest: VerifiedInit | undefined;
  #hasSaidHello = false;
  #heightPx: number | undefined;
  #stopHeight = () => {};
  #stopSaves = () => {};

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** @throws PluginError of the core */
  async init(timeoutMs = defaultTimeoutMs): Promise<VerifiedInit> {
    this.#hasSaidHello = true;
    const [trust, downloaded] = this.#trust();
    const { shakeHands } = createHandshake(trust, undefined, downloaded);
    this.#latest = await shakeHands({ timeoutMs });
    this.#sendHeight();
    return this.#latest;
  }

  /** Replaces the element that was followed before, as the predecessor does. */
  observeHeight(element: Element): () => void {
    this.#stopHeight();
    const control = new AbortController();
    this.#stopHeight = () => control.abort();
    followHeight(element, (heightPx) => this.#setHeight(heightPx), control.signal);
    // A plug-in that only follows its height never calls init. One that does may do so in this task.
    setTimeout(() => this.#hasSaidHello || this.init().catch(() => {}));
    return this.#stopHeight;
  }

  /** Replaces the handler before, as the predecessor does. */
  onSave(handler: SaveHandler<object>): () => void {
    this.#stopSaves();
    const control = new AbortController();
    this.#stopSaves = () => control.abort();
    answerSaves(
      {
        verify: (...request) => this.#createVerifier()(...request),
        hostOrigin: () => this.#latest?.hostOrigin,
        checkUser: (claims) => this.#checkUser(claims),
        accepted: this.#acceptedSaves,
        post: (message) => this.#post(message),
        warn: () => {},
      },
      handler,
      control.signal,
    );
    return this.#stopSaves;
  }

  #createVerifier(): VerifyToken {
    return createVerifier(...this.#trust());
  }

  /** Keys and hosts may be added at any time: they count from the next message on. */
  #trust(): [HandshakeOptions, DownloadedKeys] {
    const { downloaded, ...trust } = JwkStore.getInstance().trust();
    return [{ ...trust, ...this.#options }, downloaded];
  }

  #checkUser(claims: InitClaims): InitClaims {
    if (userOf(claims) !== userOf(this.#latest?.claims)) fail('ERR3', 'Not the user of init');
    return claims;
  }

  /** @returns whether that is a new height */
  #setHeight(heightPx: number): boolean {
    const height = Math.ceil(heightPx);
    if (height === this.#heightPx) return false;
    this.#heightPx = height;
    this.#sendHeight();
    return true;
  }

  #sendHeight(): void {
    if (this.#heightPx !== undefined) this.#post({ sub: 'setHeight', height: this.#heightPx });
  }

  #post(message: object): void {
    const { srcId, view } = this.#options;
    const iss = view === 'config' ? `${srcId}-cfg` : srcId;
    if (this.#latest) parent.postMessage({ iss, ...message }, this.#latest.hostOrigin);
  }
}

function userOf(claims: InitClaims | undefined): string {
  return [claims?.iss, claims?.ctx.tenantId, claims?.ctx.userId].join();
}
