/**
 * A fake platform page around the current page, for component tests in jsdom or happy-dom and for stories in
 * a browser. It uses the real protocol, with real signatures by a throw-away key, and replaces
 * `window.parent` until it is closed.
 */

import { replaceFetch, replaceParent } from './replace-globals.ts';
import {
  createSigningKey,
  describeInstance,
  type FakeKeyDocument,
  type SigningKey,
  signJwt,
} from './wire.ts';

/** The signed-in user. `undefined` leaves a claim out, as the platform does with claims that are not requested. */
export interface FakeUser {
  tenantId?: string | undefined;
  userId?: string | undefined;
  userName?: string | undefined;
  userEmail?: string | undefined;
  /** A language tag. Default `en`. */
  userLanguage?: string | undefined;
}

export interface FakeHostOptions {
  /** The id of the placed widget. Default `instance-1`. */
  srcId?: string;
  /** Which of the plug-in's pages is open. Default `main`. */
  view?: 'main' | 'config';
  /** The tenant's address. Default `https://tenant.example`; its origin sends all messages. */
  issuer?: string;
  user?: FakeUser;
  /** The instance's stored configuration. `save()` replaces it with the plug-in's answer. */
  config?: object;
  /** Additional claims of every token, in the flat names of the wire, such as `stt.edit`. */
  claims?: object;
  /**
   * Which hellos are answered. `late`: only repeated ones, like a host that loads after the plug-in.
   * `forged`: with another key's signature. Default `always`.
   */
  answers?: 'always' | 'late' | 'never' | 'forged';
  /** `jku`: the key is at an address, and `fetch` is replaced for it. Default `pinned`. */
  keyDelivery?: 'pinned' | 'jku';
  /** A key that several hosts can share, to save the time for creating one. Default: a new key. */
  signingKey?: SigningKey;
}

export interface SentMessage {
  message: Record<string, unknown>;
  targetOrigin: string;
}

export interface SendOptions {
  /** Default: the host's. */
  origin?: string;
  /** Default: the host's `parent`. */
  source?: MessageEventSource | null;
}

export interface FakeHost extends Disposable {
  readonly srcId: string;
  readonly view: 'main' | 'config';
  /** The argument of `trustIssuers` to believe this host; empty for `jku`. */
  readonly issuers: { issuer: string; keys?: FakeKeyDocument[] }[];
  /** The option of `createAdapter` to load this host's key; empty for `pinned`. */
  readonly jkuOrigins: string[];
  readonly origin: string;
  /** All messages that the plug-in posted, to any origin. */
  readonly messages: readonly SentMessage[];
  /** The heights that reached the host, in CSS pixels. */
  readonly heights: readonly number[];
  /** The address at which the platform opens the page. Default: this page's. */
  url: (page?: string) => string;
  /** Signs in another user, or the same user in another language. The next token shows it. */
  setUser: (user: FakeUser) => void;
  /**
   * Presses the platform's save button.
   *
   * @returns the plug-in's answer of `onSave`; rejects if the host is closed before
   */
  save: () => Promise<unknown>;
  /** Signs a token of this host, with claims in the flat names of the wire. For hostile tests. */
  sign: (claims: object, header?: object) => Promise<string>;
  /** Delivers any message to the plug-in. For hostile tests. */
  send: (data: unknown, options?: SendOptions) => void;
  /** Restores everything that was replaced. */
  close: () => void;
}

const defaultUser = {
  tenantId: '3c5e9a52-51ad-4f0c-9a35-0d5f4b64a8d1',
  userId: 'user-1',
  userName: 'Robin Berg',
  userLanguage: 'en',
};

/**
 * Puts a fake platform around this page.
 *
 * @example
 * using host = await createFakeHost({ view: 'config', user: { userLanguage: 'de' } });
 * const { srcId, view, issuers } = host;
 * const adapter = createAdapter({ srcId, view, issuers: trustIssuers(issuers) });
 * adapter.onSave(() => ({ colour: 'red' }));
 *
 * const { claims } = await adapter.init();
 * adapter.setHeight(240);
 *
 * expect(claims.ctx.userLanguage).toBe('de');
 * expect(host.heights).toEqual([240]);
 * expect(await host.save()).toEqual({ colour: 'red' });
 */
export async function createFakeHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  const {
    srcId = 'instance-1',
    view = 'main',
    issuer = 'https://tenant.example',
    claims: moreClaims,
    answers = 'always',
    keyDelivery = 'pinned',
  } = options;
  const { privateKey, keyDocument } = options.signingKey ?? (await createSigningKey());
  const forger = answers === 'forged' ? await createSigningKey() : undefined;
  const { origin, hostname } = new URL(issuer);
  const jku = `https://keys.${hostname}/key.json`;
  const pluginIss = view === 'config' ? `${srcId}-cfg` : srcId;
  const messages: SentMessage[] = [];
  const heights: number[] = [];
  const saves = new Map<unknown, PromiseWithResolvers<unknown>>();
  let user: FakeUser = { ...defaultUser, ...options.user };
  let config = options.config ?? {};
  let isClosed = false;

  function sign(claims: object, header?: object, key = privateKey): Promise<string> {
    const all = { ...describeInstance({ issuer, user, config }), ...moreClaims, ...claims };
    return signJwt(key, all, { jku, ...header });
  }

  function send(data: unknown, { origin: from = origin, source = host }: SendOptions = {}): void {
    dispatchEvent(new MessageEvent('message', { data, origin: from, source }));
  }

  async function answerHello(jti: unknown): Promise<void> {
    const isRepeated = messages.filter(({ message }) => message.jti === jti).length > 1;
    if (answers === 'never' || (answers === 'late' && !isRepeated)) return;
    const initJwt = await sign({ sub: 'init', jti }, {}, forger?.privateKey);
    if (!isClosed) send(initJwt);
  }

  function receive(sent: SentMessage): void {
    messages.push(sent);
    const { message, targetOrigin } = sent;
    const { iss, sub, jti, height, data } = message;
    if (iss !== pluginIss || !['*', origin].includes(targetOrigin)) return;
    if (sub === 'init') void answerHello(jti);
    if (sub === 'setHeight') heights.push(Number(height));
    if (sub === 'setConfig') endSave(jti, data);
  }

  function endSave(jti: unknown, answer: unknown): void {
    if (typeof answer === 'object' && saves.has(jti)) config = answer ?? {};
    saves.get(jti)?.resolve(answer);
    saves.delete(jti);
  }

  async function save(): Promise<unknown> {
    const jti = crypto.randomUUID();
    const saveJwt = await sign({ sub: 'save', jti });
    const ending = Promise.withResolvers<unknown>();
    saves.set(jti, ending);
    send(saveJwt);
    return ending.promise;
  }

  const { host, restoreParent } = replaceParent(receive);
  const restoreFetch = keyDelivery === 'jku' ? replaceFetch(jku, keyDocument) : undefined;

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    restoreFetch?.();
    restoreParent();
    for (const { reject } of saves.values()) reject(new Error('The host was closed'));
  }

  return {
    srcId,
    view,
    issuers: keyDelivery === 'pinned' ? [{ issuer, keys: [keyDocument] }] : [{ issuer }],
    jkuOrigins: keyDelivery === 'jku' ? [new URL(jku).origin] : [],
    origin,
    messages,
    heights,
    url(page = location.href) {
      const url = new URL(page, location.href);
      url.searchParams.set('src', srcId);
      return url.href;
    },
    setUser(changes) {
      user = { ...user, ...changes };
    },
    save,
    sign: (claims, header) => sign(claims, header),
    send,
    close,
    [Symbol.dispose]: close,
  };
}
