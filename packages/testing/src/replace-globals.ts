/** What a fake host puts in place of the page's own `parent` and `fetch`, and how it takes it back. */
import type { SentMessage } from './create-fake-host.ts';

/**
 * A message port becomes `parent`, for browsers let no mere object be the source of a message. What
 * is no plug-in's message goes on to the real parent: Storybook talks to its own page, too.
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
