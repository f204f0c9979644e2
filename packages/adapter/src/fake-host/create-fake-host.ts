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
  /** The heights that the host received, in CSS pixels. */
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

type PrivateKey = SigningKey['privateKey'];

interface HostContext {
  readonly issuer: string;
  readonly origin: string;
  /** The key's address, if the plug-in loads it. */
  readonly jku: string;
  /** `iss` of this plug-in's messages. */
  readonly pluginIss: string;
  readonly moreClaims: object | undefined;
  readonly answers: FakeHostOptions['answers'];
  readonly privateKey: PrivateKey;
  /** The key of forged tokens. */
  readonly forgingKey: PrivateKey | undefined;
  readonly messages: SentMessage[];
  readonly heights: number[];
  /** The saves without an answer, by the `jti` of their tokens. */
  readonly saves: Map<unknown, PromiseWithResolvers<unknown>>;
  /** The object that replaces `window.parent`. */
  host: MessageEventSource | null;
  user: FakeUser;
  config: object;
  isClosed: boolean;
}

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
  const { srcId = 'instance-1', view = 'main', keyDelivery = 'pinned' } = options;
  const { privateKey, keyDocument } = options.signingKey ?? (await createSigningKey());
  const context = await createHostContext(options, privateKey);
  const { issuer, origin, jku, messages, heights } = context;
  const { host, restoreParent } = replaceParent((sent) => receive(context, sent));
  context.host = host;
  const restoreFetch = keyDelivery === 'jku' ? replaceFetch(jku, keyDocument) : undefined;

  function close(): void {
    if (context.isClosed) return;
    context.isClosed = true;
    restoreFetch?.();
    restoreParent();
    for (const { reject } of context.saves.values()) reject(hostClosed());
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
      context.user = { ...context.user, ...changes };
    },
    save: () => save(context),
    sign: (claims, header) => sign(context, claims, header),
    send: (data, sendOptions) => send(context, data, sendOptions),
    close,
    [Symbol.dispose]: close,
  };
}

async function createHostContext(
  options: FakeHostOptions,
  privateKey: PrivateKey,
): Promise<HostContext> {
  const { srcId = 'instance-1', view, issuer = 'https://tenant.example', answers } = options;
  const { origin, hostname } = new URL(issuer);
  return {
    issuer,
    origin,
    jku: `https://keys.${hostname}/key.json`,
    pluginIss: view === 'config' ? `${srcId}-cfg` : srcId,
    moreClaims: options.claims,
    answers,
    privateKey,
    forgingKey: answers === 'forged' ? (await createSigningKey()).privateKey : undefined,
    messages: [],
    heights: [],
    saves: new Map(),
    host: null,
    user: { ...defaultUser, ...options.user },
    config: options.config ?? {},
    isClosed: false,
  };
}

function sign(
  context: HostContext,
  claims: object,
  header?: object,
  key = context.privateKey,
): Promise<string> {
  const { issuer, user, config, moreClaims, jku } = context;
  const all = { ...describeInstance({ issuer, user, config }), ...moreClaims, ...claims };
  return signJwt(key, all, { jku, ...header });
}

function send(context: HostContext, data: unknown, options: SendOptions = {}): void {
  const { origin = context.origin, source = context.host } = options;
  dispatchEvent(new MessageEvent('message', { data, origin, source }));
}

function receive(context: HostContext, sent: SentMessage): void {
  context.messages.push(sent);
  const { message, targetOrigin } = sent;
  const { iss, sub, jti, height, data } = message;
  if (iss !== context.pluginIss || !['*', context.origin].includes(targetOrigin)) return;
  if (sub === 'init') void answerHello(context, jti);
  if (sub === 'setHeight') context.heights.push(Number(height));
  if (sub === 'setConfig') endSave(context, jti, data);
}

async function answerHello(context: HostContext, jti: unknown): Promise<void> {
  const { answers, messages, forgingKey } = context;
  const isRepeated = messages.filter(({ message }) => message.jti === jti).length > 1;
  if (answers === 'never' || (answers === 'late' && !isRepeated)) return;
  const initJwt = await sign(context, { sub: 'init', jti }, {}, forgingKey);
  if (!context.isClosed) send(context, initJwt);
}

async function save(context: HostContext): Promise<unknown> {
  const jti = crypto.randomUUID();
  const saveJwt = await sign(context, { sub: 'save', jti });
  if (context.isClosed) throw hostClosed();
  const ending = Promise.withResolvers<unknown>();
  context.saves.set(jti, ending);
  send(context, saveJwt);
  return ending.promise;
}

function hostClosed(): Error {
  return new Error('The host was closed');
}

function endSave(context: HostContext, jti: unknown, answer: unknown): void {
  const { saves } = context;
  if (typeof answer === 'object' && saves.has(jti)) context.config = answer ?? {};
  saves.get(jti)?.resolve(answer);
  saves.delete(jti);
}
