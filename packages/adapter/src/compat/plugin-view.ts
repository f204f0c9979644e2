import type { InitClaims } from '../claims.ts';
import {
  type HandshakeOptions,
  handshakeDefaults,
  type PluginPage,
  type ReadHandshakeOptions,
  readPage,
  shakeHands,
  type VerifiedInit,
} from '../handshake.ts';
import { observeHeight } from '../observe-height.ts';
import { readOptions } from '../options.ts';
import { fail } from '../plugin-error.ts';
import { answerSaves, type SaveHandler } from '../save.ts';
import type { TrustOptions } from '../verify-token.ts';
import { JwkStore } from './jwk-store.ts';

/** Which pages and tenants to believe. The predecessor believed all of them. */
export interface PluginAdapterOptions {
  /** `trustIssuers([…])`: the issuers to believe. Default: all whose key JwkStore has or may load. */
  issuers?: TrustOptions['issuers'];
  /** The pages that tokens may come from. Default: the origin of their issuer. */
  parentOrigin?: TrustOptions['parentOrigin'];
}

const defaultTimeoutMs = 60_000;

/**
 * One of a plug-in's two pages, with the predecessor's behaviour: every init is one handshake, with the keys
 * that are trusted at that time. Heights and answers go to the page that was verified last.
 */
export class PluginView {
  readonly #options: ReadHandshakeOptions;
  readonly #page: PluginPage;
  /** Never aborts, because the predecessor's adapters live as long as their page. */
  readonly #signal = new AbortController().signal;
  readonly #acceptedSaves = new Set<string>();
  #latest: VerifiedInit | undefined;
  #hasSaidHello = false;
  #heightPx: number | undefined;
  #stopHeight = () => {};
  #stopSaves = () => {};

  /** @throws PluginError of the core, ERR_OPTIONS */
  constructor(options: HandshakeOptions) {
    this.#options = readOptions(options, handshakeDefaults);
    this.#page = readPage(this.#options);
  }

  get srcId(): string {
    return this.#page.srcId ?? '';
  }

  /** @throws PluginError of the core */
  async init(timeoutMs = defaultTimeoutMs): Promise<VerifiedInit> {
    this.#hasSaidHello = true;
    this.#latest = await shakeHands(this.#readPage(), { timeoutMs, signal: this.#signal });
    this.#sendHeight();
    return this.#latest;
  }

  /** Replaces the followed element, as the predecessor does. */
  observeHeight(element: Element): () => void {
    this.#stopHeight();
    const setHeight = (heightPx: number) => this.#setHeight(heightPx);
    this.#stopHeight = observeHeight({ setHeight, signal: this.#signal }, element);
    // A plug-in that only follows its height never calls init. One that calls it may do so in this task.
    setTimeout(() => this.#hasSaidHello || this.init().catch(() => {}));
    return this.#stopHeight;
  }

  /** Replaces the previous handler, as the predecessor does. */
  onSave(handler: SaveHandler<object>): () => void {
    this.#stopSaves();
    const control = new AbortController();
    this.#stopSaves = () => control.abort();
    answerSaves(
      {
        trust: () => this.#readPage(),
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

  /** Keys and hosts may be added at any time. They apply from the next message on. */
  #readPage(): PluginPage {
    const { issuers, ...trust } = JwkStore.getInstance().trust();
    return { ...readPage(this.#options), ...trust, issuers: this.#page.issuers ?? issuers };
  }

  #checkUser(claims: InitClaims): InitClaims {
    const known = this.#latest?.claims;
    // A save names its tenant by `iss`, and may lack the id.
    const { tenantId = known?.ctx.tenantId, userId } = claims.ctx;
    const expected = [known?.iss, known?.ctx.tenantId, known?.ctx.userId];
    if ([claims.iss, tenantId, userId].join() !== expected.join()) {
      fail('ERR3', 'Not the user of init');
    }
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
    const { iss } = this.#page;
    if (this.#latest) parent.postMessage({ iss, ...message }, this.#latest.hostOrigin);
  }
}
