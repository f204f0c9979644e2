/**
 * The platform's half of the conversation with a plug-in's frame: which messages count, and what is
 * answered. Knows neither React nor the network.
 *
 * The plug-in sends unsigned objects `{iss, sub, …}`; the platform answers with one string, a signed
 * JWT. Any window can post to this page, so a message counts only when it comes from the frame's own
 * window and names the frame's own instance.
 */

const minFrameHeight = 40;
const maxFrameHeight = 5_000;
const maxNonceLength = 256;

export type FrameMessage = { sub: 'init'; jti: string } | { sub: 'setHeight'; height: number };

/** Null for everything that is not a message of the frame with this `instanceId`. */
export function parseFrameMessage(data: unknown, instanceId: string): FrameMessage | null {
  if (!isRecord(data) || data.iss !== instanceId) return null;
  if (data.sub === 'init' && isNonce(data.jti)) return { sub: 'init', jti: data.jti };
  if (data.sub === 'setHeight' && isFiniteNumber(data.height)) {
    return { sub: 'setHeight', height: clampFrameHeight(data.height) };
  }
  return null;
}

/** Whole pixels, rounded up, so that no line of the plug-in is cut. */
export function clampFrameHeight(height: number): number {
  return Math.min(maxFrameHeight, Math.max(minFrameHeight, Math.ceil(height)));
}

/** What of a frame's window the protocol needs. */
export interface FrameWindow {
  postMessage(message: string, targetOrigin: string): void;
}

export interface FrameConversation {
  instanceId: string;
  /** Null while the frame is not in the page. */
  frameWindow: () => FrameWindow | null;
  requestInitJwt: (instanceId: string, jti: string) => Promise<string>;
  onHeight: (height: number) => void;
  /** Called with null when an init was answered, with the error when it could not be. */
  onInitSettled: (error: unknown) => void;
}

/** A listener for the window's `message` events. */
export function createFrameListener(conversation: FrameConversation) {
  const answered = new Set<string>();

  const answerInit = async (frameWindow: FrameWindow, jti: string) => {
    if (answered.has(jti)) return;
    answered.add(jti);
    try {
      const initJwt = await conversation.requestInitJwt(conversation.instanceId, jti);
      // The sandboxed frame has an opaque origin, which only '*' matches. Whatever page the frame
      // shows by then gets no more than a token bound to the plug-in's nonce for 60 seconds.
      frameWindow.postMessage(initJwt, '*');
      conversation.onInitSettled(null);
    } catch (error) {
      answered.delete(jti);
      conversation.onInitSettled(error);
    }
  };

  return (event: { source: unknown; data: unknown }) => {
    const frameWindow = conversation.frameWindow();
    if (frameWindow === null || event.source !== frameWindow) return;
    const message = parseFrameMessage(event.data, conversation.instanceId);
    if (message?.sub === 'setHeight') conversation.onHeight(message.height);
    if (message?.sub === 'init') void answerInit(frameWindow, message.jti);
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
