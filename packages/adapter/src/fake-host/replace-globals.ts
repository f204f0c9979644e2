/** Replaces the page's own `parent` and `fetch`, and restores them. */
import type { SentMessage } from './create-fake-host.ts';

/**
 * A message port becomes `parent`: browsers accept only a window or a port as the source of a message.
 * Other messages than the plug-in's are passed to the real parent: Storybook posts some, too.
 */
export function replaceParent(receive: (sent: SentMessage) => void): {
  host: MessagePort;
  restoreParent: () => void;
} {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'parent') as PropertyDescriptor;
  const realParent = parent;

  function postMessage(message: unknown, options: string | { targetOrigin?: string }): void {
    const copy = structuredClone(message);
    const targetOrigin = typeof options === 'string' ? options : (options?.targetOrigin ?? '/');
    if (isPluginMessage(copy)) receive({ message: copy, targetOrigin });
    else if (realParent !== window) realParent.postMessage(message, targetOrigin);
  }

  const host = Object.assign(new MessageChannel().port1, { postMessage });
  Object.defineProperty(globalThis, 'parent', { configurable: true, writable: true, value: host });
  return { host, restoreParent: () => Object.defineProperty(globalThis, 'parent', own) };
}

function isPluginMessage(message: unknown): message is SentMessage['message'] {
  return typeof message === 'object' && message !== null && 'iss' in message && 'sub' in message;
}

/** @returns a function that restores the real `fetch` */
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
