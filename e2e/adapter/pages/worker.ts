/** Loads the adapter in a worker. The page and the worker run this same script. */
import { createAdapter } from '@dowel/adapter';

declare global {
  interface Window {
    inWorker: () => Promise<unknown>;
  }
}

if (globalThis.document) {
  window.inWorker = () =>
    new Promise((resolve) => {
      const worker = new Worker('/worker.js', { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => resolve(message);
    });
} else {
  const { srcId, embedded, init } = createAdapter({});
  const { code } = await init().catch((error) => error);
  postMessage({ srcId, embedded, code });
}
