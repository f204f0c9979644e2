import { warn } from '../adapter-context.ts';
import { checkUser } from '../greet.ts';
import {
  type HandshakeOptions,
  handshakeDefaults,
  readPage,
  shakeHands,
  type VerifiedInit,
} from '../handshake.ts';
import { observeHeight } from '../observe-height.ts';
import { readOptions } from '../options.ts';
import { answerSaves, type SaveContext, type SaveHandler } from '../save.ts';
import { type HeightContext, sendHeight, setHeight } from '../set-height.ts';
import type { TrustOptions } from '../verify-token.ts';
import { JwkStore } from './jwk-store.ts';

/** Which pages and tenants to believe. The predecessor believed all of them. */
export interface PluginAdapterOptions {
  /** `trustIssuers([…])`: the issuers to believe. Default: all whose key JwkStore has or may load. */
  issuers?: TrustOptions['issuers'];
  /** The pages that tokens may come from. Default: the origin of their issuer. */
  parentOrigin?: TrustOptions['parentOrigin'];
}

/**
 * One of a plug-in's two pages, with the predecessor's behaviour: every init is one handshake, with the keys
 * that are trusted at that time. Heights and answers go to the page that was verified last.
 */
export class PluginView {
  readonly srcId: string;
  readonly #context: SaveContext & HeightContext;
  #hasSaidHello = false;
  #stopHeight?: () => void;
  #stopSaves?: () => void;

  /** @throws PluginError of the core, ERR_OPTIONS */
  constructor(given: HandshakeOptions) {
    const options = readOptions(given, handshakeDefaults);
    // Read once: a router of the plug-in may change the address.
    const page = readPage(options);
    this.#context = {
      // Keys and hosts may be added at any time. They apply from the next message on.
      get page() {
        return { ...page, ...JwkStore.getInstance().trust(options.issuers) };
      },
      // Never aborts, because the predecessor's adapters live as long as their page.
      life: new AbortController(),
      acceptedSaves: new Set(),
      // biome-ignore lint/suspicious/noConsole: the predecessor's interface has no place for them
      listeners: new Set([(diagnosis) => console.warn(diagnosis)]),
    };
    this.srcId = page.srcId ?? '';
  }

  /** @throws PluginError of the core */
  async init(timeoutMs = handshakeDefaults.timeoutMs): Promise<VerifiedInit> {
    this.#hasSaidHello = true;
    const context = this.#context;
    const { signal } = context.life;
    const verified = await shakeHands(context.page, { timeoutMs, signal });
    context.latest = verified;
    // Each init may have another user. A save must have the user of the last one.
    context.user = undefined;
    checkUser(context, verified.claims);
    sendHeight(context);
    return verified;
  }

  /** Replaces the followed element, as the predecessor does. */
  observeHeight(element: Element): () => void {
    this.#stopHeight?.();
    const setThisHeight = (heightPx: number) => setHeight(this.#context, heightPx);
    const { signal } = this.#context.life;
    const diagnose = (diagnosis: string) => warn(this.#context, diagnosis);
    this.#stopHeight = observeHeight({ setHeight: setThisHeight, signal, diagnose }, element);
    // A plug-in that only follows its height never calls init. One that calls it may do so in this task.
    setTimeout(
      () =>
        this.#hasSaidHello || this.init().catch((error) => warn(this.#context, error.diagnosis)),
    );
    return this.#stopHeight;
  }

  /** Replaces the previous handler, as the predecessor does. */
  onSave(handler: SaveHandler<object>): () => void {
    this.#stopSaves?.();
    this.#stopSaves = answerSaves(this.#context, handler);
    return this.#stopSaves;
  }
}
