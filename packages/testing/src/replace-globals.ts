/** What a fake host puts in place of the page's own `parent` and `fetch`, and how it takes it back. */
import type { SentMessage } from './create-fake-host.ts';

/**
 * The window of a hidden frame becomes `parent`, for only a window may be the source of a message.
 * What is no plug-in's message goes on to the real parent: Storybook talks to its own page, too.
 */
export function replaceParent(receive: (sent: SentMessage) => void): {
  host: Window;
  restoreParent: () => void;
} {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'parent');
  const realParent = parent;
  const frame = document.createElement('iframe');
  frame.hidden = true;

  function postMessage(message: unknown, options: string | { targetOrigin?: string }): void {
    const copy = structuredClone(message);
    const targetOrigin = typeof options === 'string' ? options : (options?.targetOrigin ?? '/');
    if (isPluginMessage(copy)) receive({ message: copy, targetOrigin });
    else if (realParent !== window) realParent.postMessage(message, targetOrigin);
  }

  function takeOver(): void {
    Object.assign(frame.contentWindow as Window, { postMessage });
  }

  // Some browsers replace the empty page of a frame once more, later.
  frame.addEventListener('load', takeOver);
  document.documentElement.append(frame);
  takeOver();
  const host = frame.contentWindow as Window;
  Object.defineProperty(globalThis, 'parent', { configurable: true, writable: true, value: host });
  return {
    host,
    restoreParent() {
      Object.defineProperty(globalThis, 'parent', own as PropertyDescriptor);
      frame.remove();
    },
  };
}

function isPluginMessage(message: unknown): message is SentMessage['message'] {
  return typeof message === 'object' && message !== null && 'iss' in message && 'sub' in message;
}

/** @returns how to put the real one back */
export function replaceFetch(address: string, json: unknown): () => void {
  const realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const asked = input instanceof Request ? input.url : String(input);
    return asked === address ? Promise.resolve(Response.json(json)) : realFetch(input, init);
  };
  return () => {
    globalThis.fetch = realFetch;
  };
}
