/**
 * The platform's half of the conversation with a plug-in's frame: which messages count, what is
 * answered, and how long an answer is waited for. Knows neither React nor the network.
 *
 * The plug-in sends unsigned objects `{iss, sub, …}`; the platform sends one string, a signed JWT.
 * Any window can post to this page, so a message counts only when it comes from the frame's own
 * window and names the frame's own page: the instance, with `-cfg` behind it for its configuration.
 */

const minFrameHeight = 40;
const maxFrameHeight = 5_000;
const maxNonceLength = 256;
/** A plug-in has 30 s to answer a save request; the rest is for its delivery. */
const saveTimeoutMs = 35_000;

/** The plug-in's page that a frame shows. */
export type FrameView = 'main' | 'config';

export type FrameMessage =
  | { sub: 'init'; jti: string }
  | { sub: 'setHeight'; height: number }
  | { sub: 'setConfig'; jti: string; answer: SaveAnswer };

/** A configuration page's answer to a save request. */
type SaveAnswer =
  | { kind: 'config'; config: Record<string, unknown> }
  /** The page answered true: there is nothing to store. */
  | { kind: 'unchanged' }
  /** The page answered false: it rejects its own values and shows why. */
  | { kind: 'refused' }
  /** Neither true, false nor a JSON object. */
  | { kind: 'unreadable' };

type SaveOutcome = SaveAnswer | { kind: 'unanswered' };

/** The `iss` of the page's messages. */
function frameIssuer(src: string, view: FrameView): string {
  return view === 'config' ? `${src}-cfg` : src;
}

/** Null unless it is a message of the page with this `iss`. */
export function parseFrameMessage(data: unknown, iss: string): FrameMessage | null {
  if (!isRecord(data) || data.iss !== iss) return null;
  if (data.sub === 'init' && isNonce(data.jti)) return { sub: 'init', jti: data.jti };
  if (data.sub === 'setHeight' && isFiniteNumber(data.height)) {
    return { sub: 'setHeight', height: clampFrameHeight(data.height) };
  }
  if (data.sub === 'setConfig' && isNonce(data.jti)) {
    return { sub: 'setConfig', jti: data.jti, answer: parseSaveAnswer(data.data) };
  }
  return null;
}

function parseSaveAnswer(data: unknown): SaveAnswer {
  if (typeof data === 'boolean') return { kind: data ? 'unchanged' : 'refused' };
  // A frame can post more than JSON: a Map would become an empty object, and a cycle cannot be
  // forwarded.
  if (Object.prototype.toString.call(data) !== '[object Object]') return { kind: 'unreadable' };
  try {
    return { kind: 'config', config: JSON.parse(JSON.stringify(data)) };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** Whole pixels, rounded up, so that nothing of the plug-in is cut off. */
export function clampFrameHeight(height: number): number {
  return Math.min(maxFrameHeight, Math.max(minFrameHeight, Math.ceil(height)));
}

/** The part of a frame's window that the protocol uses. */
interface FrameWindow {
  postMessage(message: string, targetOrigin: string): void;
}

export interface FrameConversationOptions {
  instanceId: string;
  /** The `src` of the page's URL, which its messages name. */
  src: string;
  view: FrameView;
  /** Null while the frame is not in the page. */
  frameWindow: () => FrameWindow | null;
  requestInitJwt: (instanceId: string, jti: string) => Promise<string>;
  onHeight: (height: number) => void;
  /** Called with null after an answered init, or with the error that prevented the answer. */
  onInitSettled: (error: unknown) => void;
}

export interface FrameConversation {
  /** For the `message` events of this page's own window. */
  listener: (event: { source: unknown; data: unknown }) => void;
  /** Asks a configuration page for its values; waits at most 35 s for the answer with this `jti`. */
  askToSave: (request: { saveJwt: string; jti: string }) => Promise<SaveOutcome>;
  /** Ends all waiting. Later messages are not answered. */
  end: () => void;
}

export function createFrameConversation(options: FrameConversationOptions): FrameConversation {
  const { instanceId } = options;
  const iss = frameIssuer(options.src, options.view);
  const answered = new Set<string>();
  const saves = new Map<string, (outcome: SaveOutcome) => void>();
  let hasEnded = false;

  const answerInit = async (frameWindow: FrameWindow, jti: string) => {
    if (answered.has(jti)) return;
    answered.add(jti);
    try {
      const initJwt = await options.requestInitJwt(instanceId, jti);
      // The sandboxed frame has an opaque origin, which only '*' matches. A different page in the
      // frame gets only a token that is bound to the plug-in's nonce for 60 seconds.
      frameWindow.postMessage(initJwt, '*');
      if (!hasEnded) options.onInitSettled(null);
    } catch (error) {
      answered.delete(jti);
      if (!hasEnded) options.onInitSettled(error);
    }
  };

  return {
    listener({ source, data }) {
      const frameWindow = hasEnded ? null : options.frameWindow();
      if (frameWindow === null || source !== frameWindow) return;
      const message = parseFrameMessage(data, iss);
      if (message?.sub === 'setHeight') options.onHeight(message.height);
      if (message?.sub === 'init') void answerInit(frameWindow, message.jti);
      if (message?.sub === 'setConfig') saves.get(message.jti)?.(message.answer);
    },
    askToSave: ({ saveJwt, jti }) =>
      new Promise((resolve) => {
        const settle = (outcome: SaveOutcome) => {
          clearTimeout(timer);
          saves.delete(jti);
          resolve(outcome);
        };
        const timer = setTimeout(settle, saveTimeoutMs, { kind: 'unanswered' });
        saves.set(jti, settle);
        const frameWindow = hasEnded ? null : options.frameWindow();
        if (frameWindow === null) return settle({ kind: 'unanswered' });
        // To '*' as above: it holds no configuration, and only the answer's window and nonce count.
        frameWindow.postMessage(saveJwt, '*');
      }),
    end() {
      hasEnded = true;
      for (const settle of saves.values()) settle({ kind: 'unanswered' });
    },
  };
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

function isNonce(jti: unknown): jti is string {
  return typeof jti === 'string' && jti.length > 0 && jti.length <= maxNonceLength;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
