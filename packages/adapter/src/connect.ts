/**
 * The handshake between the plug-in's page and the platform's page around it (docs: browser side of
 * the platform's protocol). It owns time, listeners and the one promise; what may be believed is
 * decided in verify-init-jwt.ts. Spec §7 and §8: ERR2, ERR6, ERR7 and the 60 s limit.
 */
import { createHeight } from './height.ts';
import type { InitClaims } from './nest-claims.ts';
import { PluginError } from './plugin-error.ts';
import { peekJti, verifyInitJwt } from './verify-init-jwt.ts';

export interface ConnectOptions {
  /** Origins whose key documents may be loaded, such as `https://plugins.example.com`. */
  keyOrigins: readonly string[];
  /** For everything, the key's download included. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  /** How wrong the device's clock may be. Default 300,000. */
  clockToleranceMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The id that the platform gave to this placed widget. Default: `src` in the page's address. */
  src?: string | undefined;
  /** The window of the plug-in's page. */
  target?: Window | undefined;
  fetch?: typeof fetch | undefined;
  /** Epoch milliseconds. */
  now?: (() => number) | undefined;
}

export interface Connection {
  readonly claims: InitClaims;
  /** The verified token itself, to open a session with the plug-in's back end. A secret. */
  readonly initJwt: string;
  readonly instanceId: string;
  /** Asks the host for a height in CSS pixels. */
  setHeight: (heightPx: number) => void;
  /** Keeps the host's frame as high as the element; the returned function stops that. */
  observeHeight: (element: Element) => () => void;
  /** Stops every observer; later heights are not sent. */
  close: () => void;
}

interface Answer {
  claims: InitClaims;
  initJwt: string;
}

interface Frame {
  target: Window;
  src: string;
}

const defaultTimeoutMs = 60_000;
const defaultClockToleranceMs = 300_000;
const firstHelloDelayMs = 500;
const maxHelloDelayMs = 8_000;
const maxAnswerLength = 1_000_000;

/** What came instead of a good answer, from least to most telling. */
const sightings = [
  'No message came from the embedding page.',
  'Messages came, but from another window.',
  'The embedding page sent messages, but no token.',
  'The embedding page sent a token, but for another request.',
  'A token came, but its key was still loading.',
];
const fromOtherWindow = 1;
const noToken = 2;
const otherRequest = 3;
const ourAnswer = 4;

/**
 * Meets the platform's page and verifies who it says the user is.
 *
 * @throws PluginError with every code of {@link PluginErrorCode}, once
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const frame = findFrame(options);
  const { claims, initJwt } = await shakeHands(frame, options);
  const { src, target } = frame;
  const hostOrigin = new URL(claims.iss).origin;
  const height = createHeight((heightPx) => {
    target.parent.postMessage({ iss: src, sub: 'setHeight', height: heightPx }, hostOrigin);
  });
  return { claims, initJwt, instanceId: src, ...height };
}

function findFrame({ target = globalThis.window, src, signal }: ConnectOptions): Frame {
  if (signal?.aborted) throw aborted(signal);
  if (target === undefined || target.parent === target) {
    throw new PluginError('ERR_NOT_EMBEDDED', 'No page is around this one.');
  }
  const id = src ?? new URLSearchParams(target.location.search).get('src');
  if (!id) throw new PluginError('ERR_NOT_EMBEDDED', 'The address has no src parameter.');
  if (globalThis.crypto?.subtle === undefined) {
    throw new PluginError('ERR0', 'WebCrypto is missing: the page is not a secure context.');
  }
  return { target, src: id };
}

function shakeHands({ target, src }: Frame, options: ConnectOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { timeoutMs = defaultTimeoutMs, signal } = options;
    const jti = createNonce();
    const run = new AbortController();
    let sighting = 0;

    function settle(finish: () => void): void {
      if (run.signal.aborted) return;
      run.abort();
      clearTimeout(timer);
      stopHello();
      target.removeEventListener('message', onMessage);
      signal?.removeEventListener('abort', onAbort);
      finish();
    }
    const fail = (error: PluginError): void => settle(() => reject(error));
    const onAbort = (): void => fail(aborted(signal));
    const onTimeout = (): void => fail(new PluginError('ERR6', sightings[sighting] ?? ''));

    /** Only the first answer to us counts: the host answers each hello, with the same nonce. */
    function onMessage({ data, origin, source }: MessageEvent<unknown>): void {
      const seen = source === target.parent ? sight(data, jti) : fromOtherWindow;
      if (seen <= sighting) return;
      sighting = seen;
      if (seen !== ourAnswer) return;
      stopHello();
      verifyAnswer(String(data), { jti, origin, signal: run.signal }, options).then(
        (answer) => settle(() => resolve(answer)),
        fail,
      );
    }

    const timer = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener('abort', onAbort);
    target.addEventListener('message', onMessage);
    const stopHello = repeatHello(target.parent, { iss: src, sub: 'init', jti });
  });
}

/** The hello tells nothing, so it may go to any page; a host that loads late meets a later one. */
function repeatHello(host: Window, hello: object): () => void {
  let timer: ReturnType<typeof setTimeout>;
  function say(nextDelayMs: number): void {
    host.postMessage(hello, '*');
    timer = setTimeout(say, nextDelayMs, Math.min(nextDelayMs * 2, maxHelloDelayMs));
  }
  say(firstHelloDelayMs);
  return () => clearTimeout(timer);
}

function sight(data: unknown, jti: string): number {
  if (typeof data !== 'string' || data.length > maxAnswerLength) return noToken;
  const seenJti = peekJti(data);
  if (seenJti === jti) return ourAnswer;
  return seenJti === undefined ? noToken : otherRequest;
}

async function verifyAnswer(
  initJwt: string,
  request: { jti: string; origin: string; signal: AbortSignal },
  options: ConnectOptions,
): Promise<Answer> {
  const { keyOrigins, clockToleranceMs = defaultClockToleranceMs } = options;
  const { fetch = globalThis.fetch, now = Date.now } = options;
  try {
    const tools = { keyOrigins, clockToleranceMs, fetch: fetch.bind(globalThis), now };
    return { initJwt, claims: await verifyInitJwt(initJwt, { ...request, ...tools }) };
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError('ERR2', 'The token could not be read.', error);
  }
}

/** 128 random bits: nobody can have prepared an answer to this page. */
function createNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function aborted(signal: AbortSignal | undefined): PluginError {
  return new PluginError('ERR_ABORTED', "The caller's signal aborted.", signal?.reason);
}
