/**
 * The handshake between the plug-in's page and the platform's page around it (docs: browser side of
 * the platform's protocol). It owns time, listeners and the one promise; what may be believed is
 * decided in verify-token.ts. Spec §7 and §8: ERR2, ERR6, ERR7 and the 60 s limit.
 */
import { decodePart, type InitClaims } from './claims.ts';
import { refuse } from './options.ts';
import { fail, toPluginError } from './plugin-error.ts';
import {
  createVerifier,
  type DownloadedKeys,
  type TrustOptions,
  type VerifyToken,
} from './verify-token.ts';

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

export interface Handshake {
  /** @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED */
  readonly shakeHands: (request: InitRequest) => Promise<VerifiedInit>;
  readonly verify: VerifyToken;
  /** What this page calls itself in messages. */
  readonly iss: string | null;
  readonly srcId: string | null;
  /** Whether there is a page around this one. */
  readonly embedded: boolean;
}

const maxMessageLength = 1_000_000;
/** A timer for longer than that fires at once. */
export const maxTimerMs = 2 ** 31 - 1;
/** Eighteen hellos in a minute, the last ones 10 s apart. */
const helloBackOff = 1.2;

/** What came instead of a good answer, from least to most telling. */
const sightings = [
  'Host sent no message: is src right?',
  'Host sent no message, others sent',
  'Host sent no token',
  'Host sent no token for this page',
  'Host sent token, key is slow',
];
const fromOtherWindow = 1;
const noToken = 2;
const otherRequest = 3;
const ourAnswer = 4;

/**
 * @param onSighting is told of what is seen on the way, in the words of a `diagnosis`
 * @param downloaded shares downloaded keys with others that have the same `jkuOrigins`
 * @throws PluginError ERR_OPTIONS
 */
export function createHandshake(
  options: HandshakeOptions,
  onSighting?: (diagnosis: string) => void,
  downloaded?: DownloadedKeys,
): Handshake {
  const { srcId = new URLSearchParams(globalThis.location?.search).get('src'), view = 'main' } =
    options;
  if (!['main', 'config'].includes(view)) refuse('view', 'main or config');
  const iss = view === 'config' ? `${srcId}-cfg` : srcId;
  const embedded = globalThis.parent !== globalThis.window;
  const verify = createVerifier(options, downloaded, onSighting);

  async function shakeHands({ timeoutMs = 60_000, signal }: InitRequest): Promise<VerifiedInit> {
    if (!embedded || !srcId) {
      fail('ERR_NOT_EMBEDDED', 'No host: open in the platform');
    }
    if (!crypto.subtle) fail('ERR0', 'No WebCrypto: use https');
    // 244 random bits; one alone has 122.
    const jti = crypto.randomUUID() + crypto.randomUUID();
    const run = new AbortController();
    let sighting = 0;
    let timer: ReturnType<typeof setTimeout>;
    let helloTimer: ReturnType<typeof setTimeout>;

    /** Tells nothing, so it may go to any page; a host that loads late meets a later one. */
    function sayHello(nextDelayMs: number): void {
      parent.postMessage({ iss, sub: 'init', jti }, '*');
      helloTimer = setTimeout(sayHello, nextDelayMs, nextDelayMs * helloBackOff);
    }

    return new Promise<VerifiedInit>((resolve, reject) => {
      const onAbort = () => reject(toPluginError('ERR_ABORTED', 'Aborted', signal?.reason));

      /** Only the first answer to us counts: the host may answer each hello. */
      function onMessage(message: MessageEvent): void {
        const { data, origin, source } = message;
        const seen = source === parent ? sight(data, jti) : fromOtherWindow;
        if (seen <= sighting) return;
        sighting = seen;
        onSighting?.(sightings[seen] as string);
        if (seen !== ourAnswer) return;
        clearTimeout(helloTimer);
        verify(message, 'init', run.signal).then(
          (claims) => resolve({ claims, initJwt: data, hostOrigin: origin }),
          (error) => reject(toPluginError('ERR2', 'No token', error)),
        );
      }

      if (signal?.aborted) onAbort();
      else sayHello(500); // First: the host signs while the rest is made ready.
      timer = setTimeout(
        () => reject(toPluginError('ERR6', sightings[sighting] as string)),
        Math.min(timeoutMs, maxTimerMs),
      );
      addEventListener('message', onMessage, run);
      signal?.addEventListener('abort', onAbort, run);
    }).finally(() => {
      clearTimeout(helloTimer);
      clearTimeout(timer);
      run.abort(0); // Without a reason the browser makes an error, stack and all.
    });
  }

  return { shakeHands, verify, iss, srcId, embedded };
}

function sight(data: unknown, jti: string): number {
  try {
    const payload = isText(data) && data.split('.')[1];
    return decodePart<InitClaims>(payload as string).jti === jti ? ourAnswer : otherRequest;
  } catch {
    return noToken;
  }
}

export function isText(data: unknown): data is string {
  return typeof data === 'string' && data.length <= maxMessageLength;
}
