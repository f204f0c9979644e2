/** A thousand adapters in one page, one after the other, like in an application that is never reloaded. */
import { type CDPSession, expect, type Frame, type Page } from '@playwright/test';
import { test } from './with-servers.ts';

interface Usage {
  heapBytes: number;
  eventListeners: number;
  promises: number;
  timers: number;
}

const cycles = 1000;
const perRound = 100;
/** Allowed growth by compiled code, caches and the measurement itself. */
const toleranceBytes = 100_000;

async function openPlugin(page: Page, origin: string): Promise<[Frame, CDPSession]> {
  await page.goto(`${origin}/leak-host.html`);
  const frame = page.frameLocator('iframe').owner();
  const plugin = (await (await frame.elementHandle())?.contentFrame()) as Frame;
  await plugin.waitForFunction(() => 'cycle' in window);
  const session = await page.context().newCDPSession(plugin);
  await session.send('Performance.enable');
  return [plugin, session];
}

async function measure(plugin: Frame, session: CDPSession): Promise<Usage> {
  const timers = await plugin.evaluate(() => window.timers.size);
  for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { metrics } = await session.send('Performance.getMetrics');
  const eventListeners = metrics.find(({ name }) => name === 'JSEventListeners')?.value ?? 0;
  return { heapBytes: usedSize, eventListeners, promises: await countPromises(session), timers };
}

/** Counts the reachable promises. */
async function countPromises(session: CDPSession): Promise<number> {
  const { result } = await session.send('Runtime.evaluate', { expression: 'Promise.prototype' });
  const { objects } = await session.send('Runtime.queryObjects', {
    prototypeObjectId: result.objectId as string,
    objectGroup: 'promises',
  });
  const { result: counted } = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId as string,
    functionDeclaration: 'function () { return this.length }',
    returnByValue: true,
  });
  await session.send('Runtime.releaseObjectGroup', { objectGroup: 'promises' });
  return counted.value;
}

/** Ends the test early at a leak: each leaked adapter makes the next one slower. */
function isOverrun(before: Usage, after: Usage): boolean {
  return after.eventListeners > before.eventListeners + perRound;
}

async function grow(plugin: Frame, session: CDPSession, isDestroyed: boolean): Promise<Usage> {
  await plugin.evaluate((each) => window.cycle(200, each), true);
  const before = await measure(plugin, session);
  const rounds = isDestroyed ? cycles / perRound : 1;
  let after = before;
  for (let round = 0; round < rounds && !isOverrun(before, after); round += 1) {
    await plugin.evaluate(([count, each]) => window.cycle(count, each), [
      perRound,
      isDestroyed,
    ] as const);
    after = await measure(plugin, session);
  }
  const growth = {
    heapBytes: after.heapBytes - before.heapBytes,
    eventListeners: after.eventListeners - before.eventListeners,
    promises: after.promises - before.promises,
    timers: after.timers - before.timers,
  };
  console.log(
    `${rounds * perRound} adapters, ${isDestroyed ? 'destroyed' : 'kept'}: ${JSON.stringify(growth)}`,
  );
  return growth;
}

test('a thousand adapters that were destroyed leave nothing behind', async ({ page, servers }) => {
  const [plugin, session] = await openPlugin(page, servers.world.origins.tenant);

  const { heapBytes, eventListeners, promises, timers } = await grow(plugin, session, true);

  expect(heapBytes).toBeLessThan(toleranceBytes);
  expect(eventListeners).toBeLessThanOrEqual(5);
  expect(promises).toBeLessThanOrEqual(5);
  expect(timers).toBe(0);
});

test('the same measurements detect adapters that are not destroyed', { tag: '@long' }, async ({
  page,
  servers,
}) => {
  const [plugin, session] = await openPlugin(page, servers.world.origins.tenant);

  const { heapBytes, eventListeners } = await grow(plugin, session, false);

  expect(heapBytes).toBeGreaterThan(toleranceBytes);
  expect(eventListeners).toBeGreaterThanOrEqual(perRound);
});
