/**
 * The handshake between the plug-in's page and the platform's page around it (docs: browser side of
 * the platform's protocol). It owns time, listeners and the one promise; what may be believed is
 * decided in verify-token.ts. Spec §7 and §8: ERR2, ERR6, ERR7 and the 60 s limit.
 */
import { decodePart, type InitClaims } from './claims.ts';
import { type Defaulted, refuse } from './options.ts';
import { fail, toPluginError } from './plugin-error.ts';
import { readTrust, type Trust, type TrustOptions, verifyToken } from './verify-token.ts';

/** A plug-in has a page that is shown, and may have one to configure it. */
export type View = 'main' | 'config';

export interface HandshakeOptions extends TrustOptions {
  /** The id that the platform gave to this placed widget. Default: `src` in the page's address. */
  srcId?: string | undefined;
  /** Which of the plug-in's two pages this is. Default `main`. */
  view?: View | undefined;
}

export interface InitRequest {
  /** For everything, the key's download included. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface VerifiedInit<Context = unknown> {
  readonly claims: InitClaims<Context>;
  /** The verified token itself, to open a session with the plug-in's back end. A secret. */
  readonly initJwt: string;
  /** The platform's page around this one; nothing but the hello is sent to any other. */
  readonly hostOrigin: string;
}

/** This page as a handshake knows it, and whom it believes. */
export interface PluginPage extends Trust {
  /** What this page calls itself in messages. */
  readonly iss: string | null;
  readonly srcId: string | null;
  /** Whether there is a page around this one. */
  readonly embedded: boolean;
}

export type ReadHandshakeOptions = Defaulted<HandshakeOptions, 'issuers' | 'parentOrigin'>;

/** Of everybody who shakes hands: the names of the options, and their defaults. */
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
/** Eighteen hellos in a minute, the last ones 10 s apart. */
const helloBackOff = 1.2;

/** @throws PluginError ERR_OPTIONS */
export function readPage(options: ReadHandshakeOptions): PluginPage {
  const { view } = options;
  const srcId = options.srcId || new URLSearchParams(globalThis.location?.search).get('src');
  return {
    ...readTrust(options),
    srcId,
    iss: nameOf(view, srcId),
    embedded: globalThis.parent !== globalThis.window,
  };
}

function nameOf(view: View, srcId: string | null): string | null {
  if (view === 'main') return srcId;
  return view === 'config' ? `${srcId}-cfg` : refuse('view', 'main or config');
}

/**
 * Resolves with the first answer of the page around this one, when it is believed.
 *
 * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED
 */
export async function shakeHands(
  page: PluginPage,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<VerifiedInit> {
  if (!page.embedded || !page.srcId) fail('ERR_NOT_EMBEDDED', 'No host: open in the platform');
  if (signal.aborted) fail('ERR_ABORTED', 'Aborted', signal.reason);
  if (!crypto.subtle) fail('ERR0', 'No WebCrypto: use https');
  // 244 random bits; one alone has 122.
  const jti = crypto.randomUUID() + crypto.randomUUID();
  const run = new AbortController();
  let hasAnswer = false;
  let timer: ReturnType<typeof setTimeout>;
  let helloTimer: ReturnType<typeof setTimeout>;

  /** Tells nothing, so it may go to any page; a host that loads late meets a later one. */
  function sayHello(nextDelayMs: number): void {
    parent.postMessage({ iss: page.iss, sub: 'init', jti }, '*');
    helloTimer = setTimeout(sayHello, nextDelayMs, nextDelayMs * helloBackOff);
  }

  return new Promise<VerifiedInit>((resolve, reject) => {
    const onAbort = () => reject(toPluginError('ERR_ABORTED', 'Aborted', signal.reason));

    function onMessage(message: MessageEvent): void {
      const { data, origin, source } = message;
      // Only the first answer to us counts: the host may answer each hello.
      if (hasAnswer || source !== parent || !isAnswer(data, jti)) return;
      hasAnswer = true;
      clearTimeout(helloTimer);
      verifyToken(page, message, 'init', run.signal).then(
        (claims) => resolve({ claims, initJwt: data, hostOrigin: origin }),
        (error) => reject(toPluginError('ERR2', 'No token', error)),
      );
    }

    function onTimeout(): void {
      const seen = hasAnswer ? 'Host sent token, key is slow' : 'Host sent no token: is src right?';
      reject(toPluginError('ERR6', seen));
    }

    sayHello(500); // First: the host signs while the rest is made ready.
    timer = setTimeout(onTimeout, Math.min(timeoutMs, 2 ** 31 - 1)); // A longer one fires at once.
    addEventListener('message', onMessage, run);
    signal.addEventListener('abort', onAbort, run);
  }).finally(() => {
    clearTimeout(helloTimer);
    clearTimeout(timer);
    run.abort(0); // Without a reason the browser makes an error, stack and all.
  });
}

function isAnswer(data: unknown, jti: string): boolean {
  try {
    return isText(data) && decodePart<InitClaims>(data.split('.')[1] as string).jti === jti;
  } catch {
    return false;
  }
}

export function isText(data: unknown): data is string {
  return typeof data === 'string' && data.length <= maxMessageLength;
}
