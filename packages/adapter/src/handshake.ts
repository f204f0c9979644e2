/**
 * The handshake between the plug-in's page and the platform's page around it (docs: browser side of the
 * platform's protocol). It owns time, listeners and the promise; verify-token.ts decides which messages to
 * believe. Spec §7 and §8: ERR2, ERR6, ERR7 and the 60 s limit. Users notice the first handshake: the hello is sent
 * first, and functions that are slow when they run for the first time are avoided (a `TransformStream` costs 4 ms,
 * `Uint8Array.from` 0.5 ms).
 */
import { decodePart, type InitClaims } from './claims.ts';
import { type Defaulted, refuse } from './options.ts';
import { fail, toPluginError } from './plugin-error.ts';
import { readTrust, type Trust, type TrustOptions, verifyToken } from './verify-token.ts';

/** A plug-in has a main page, and may have a configuration page. */
export type View = 'main' | 'config';

export interface HandshakeOptions extends TrustOptions {
  /** The id that the platform assigned to this placed widget. Default: `src` in the page's address. */
  srcId?: string | undefined;
  /** The type of this page. Default `main`. */
  view?: View | undefined;
}

export interface InitRequest {
  /** The time limit, including the key's download. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface VerifiedInit<Context = unknown> {
  readonly claims: InitClaims<Context>;
  /** The verified token itself, to open a session with the plug-in's back end. A secret. */
  readonly initJwt: string;
  /** The platform's page around this one. Other pages receive only the hello. */
  readonly hostOrigin: string;
}

/** The data of this page for a handshake, and the issuers that it believes. */
export interface PluginPage extends Trust {
  /** The id of this page in messages. */
  readonly iss: string | null;
  readonly srcId: string | null;
  /** True inside an iframe. */
  readonly embedded: boolean;
}

export type ReadHandshakeOptions = Defaulted<HandshakeOptions, 'issuers' | 'parentOrigin'>;

/** The options of every handshake, with their defaults. */
export const handshakeDefaults: ReadHandshakeOptions & { timeoutMs: number } = {
  issuers: undefined,
  jkuOrigins: [],
  parentOrigin: undefined,
  clockToleranceMs: 300_000,
  srcId: '',
  view: 'main',
  timeoutMs: 60_000,
};

const maxMessageLength = 1_000_000;
/** Makes eighteen hellos in a minute, the last ones 10 s apart. */
const helloBackOff = 1.2;

/** @throws PluginError ERR_OPTIONS */
export function readPage(options: ReadHandshakeOptions): PluginPage {
  const { view } = options;
  if (view !== 'main' && view !== 'config') refuse('view', 'main or config');
  const srcId = options.srcId || new URLSearchParams(globalThis.location?.search).get('src');
  return {
    ...readTrust(options),
    srcId,
    iss: view === 'main' ? srcId : `${srcId}-cfg`,
    embedded: globalThis.parent !== globalThis.window,
  };
}

/**
 * Resolves with the first answer of the page around this one, if it can be verified.
 *
 * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED
 */
export async function shakeHands(
  page: PluginPage,
  request: { timeoutMs: number; signal: AbortSignal; jti?: string | undefined },
): Promise<VerifiedInit> {
  if (!(page.embedded && page.srcId)) fail('ERR_NOT_EMBEDDED', 'No host: open in the platform');
  if (!crypto.subtle) fail('ERR0', 'No WebCrypto: use https');
  // Two UUIDs have 244 random bits.
  const { timeoutMs, signal, jti = crypto.randomUUID() + crypto.randomUUID() } = request;
  if (signal.aborted) fail('ERR_ABORTED', 'Aborted', signal.reason);
  const run = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  let hasAnswer = false;
  let helloTimer: ReturnType<typeof setTimeout>;

  /** Contains nothing secret, so it may go to any page. A host that loads late receives a later one. */
  function sayHello(nextDelayMs: number): void {
    parent.postMessage({ iss: page.iss, sub: 'init', jti }, '*');
    helloTimer = setTimeout(sayHello, nextDelayMs, nextDelayMs * helloBackOff);
  }

  return new Promise<VerifiedInit>((resolve, reject) => {
    function onMessage({ data, origin, source }: MessageEvent): void {
      // Only the first answer counts, because the host may answer each hello.
      if (hasAnswer || source !== parent || readNonce(data) !== jti) return;
      hasAnswer = true;
      clearTimeout(helloTimer);
      verifyToken(page, { jwt: data, origin, sub: 'init', signal: run.signal }).then(
        (claims) => resolve({ claims, initJwt: data, hostOrigin: origin }),
        (error) => reject(toPluginError('ERR2', 'Token is no JWT', error)),
      );
    }

    sayHello(500); // Sent first, so that the host signs while the rest is prepared.
    timer = setTimeout(
      () => {
        const seen = hasAnswer
          ? 'Host sent token, key is slow'
          : 'Host sent no token: is src right?';
        reject(toPluginError('ERR6', seen));
      },
      Math.min(timeoutMs, 2 ** 31 - 1), // A timer with a longer time fires at once.
    );
    addEventListener('message', onMessage, run);
    signal.addEventListener(
      'abort',
      () => reject(toPluginError('ERR_ABORTED', 'Aborted', signal.reason)),
      run,
    );
  }).finally(() => {
    clearTimeout(helloTimer);
    clearTimeout(timer);
    run.abort(0); // Without a reason the browser would create an error with a stack.
  });
}

/** The nonce in a token that is not verified yet. */
function readNonce(data: unknown): unknown {
  try {
    return isText(data) && decodePart<InitClaims>(data.split('.')[1] as string).jti;
  } catch {
    return undefined;
  }
}

export function isText(data: unknown): data is string {
  return typeof data === 'string' && data.length <= maxMessageLength;
}
