/** Both pages of the leak test: a host that answers every hello, and a plug-in that starts again and again. */
import { createAdapter, observeHeight, trustIssuers } from '@dowel/adapter';
import { world } from './page-world.ts';
import { signToken } from './signer.ts';

declare global {
  interface Window {
    /** Creates, uses and ends `count` adapters, one after the other. */
    cycle: (count: number, isDestroyed: boolean) => Promise<void>;
    /** Timers that are set and have not fired. */
    timers: Set<number>;
  }
}

if (location.pathname === '/leak-host.html') answerEveryHello();
else countTimers();

function answerEveryHello(): void {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.src = `${world.origins.farPlugin}/leak.html?src=leak`;
  addEventListener('message', async ({ data, source }) => {
    if (source !== frame.contentWindow || data.sub !== 'init') return;
    frame.contentWindow?.postMessage(await signToken(world, data.jti, {}), '*');
  });
}

function countTimers(): void {
  const { setTimeout: set, clearTimeout: clear } = window;
  const timers = new Set<number>();
  window.timers = timers;
  window.setTimeout = ((
    handler: (...given: unknown[]) => void,
    delayMs?: number,
    ...given: unknown[]
  ) => {
    const timer = set(() => {
      timers.delete(timer);
      handler(...given);
    }, delayMs);
    timers.add(timer);
    return timer;
  }) as typeof setTimeout;
  window.clearTimeout = (timer) => {
    timers.delete(timer as number);
    clear(timer);
  };
}

window.cycle = async (count, isDestroyed) => {
  for (let index = 0; index < count; index += 1) await useAdapter(index, isDestroyed);
};

/** Every tenth loads its key, and every tenth ends before its handshake does. */
async function useAdapter(index: number, isDestroyed: boolean): Promise<void> {
  const { tenant, keys } = world.origins;
  const pinned = { issuer: tenant, keys: [JSON.parse(world.keyDocument)] };
  const adapter = createAdapter(
    index % 10 === 1 ? { jkuOrigins: [keys] } : { issuers: trustIssuers([pinned]) },
  );
  adapter.onDiagnostic(() => {});
  adapter.onSave(() => true);
  observeHeight(adapter);
  const init = adapter.init();
  if (index % 10 === 2 && isDestroyed) adapter.destroy();
  await init.catch(() => {});
  if (isDestroyed) adapter.destroy();
  await new Promise((resolve) => setTimeout(resolve));
}
