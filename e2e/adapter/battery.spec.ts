/**
 * Hostile hosts, keys, tokens and messages against the adapter's shipped file, in real Chromium; then
 * the same against an adapter that believes everything, so that the battery is seen to find it out,
 * and against the published predecessor.
 */
import { type Browser, expect } from '@playwright/test';
import { allCases, groups } from './cases/all-cases.ts';
import { type Battery, count, runBattery, summarize } from './run-battery.ts';
import type { Servers } from './servers.ts';
import { test } from './with-servers.ts';
import type { AdapterName } from './world.ts';

const batteries = new Map<AdapterName, Promise<Battery>>();

/** Runs the whole battery once per adapter, started by the first test. */
function batteryOf(servers: Servers, browser: Browser, adapter: AdapterName): Promise<Battery> {
  const started = batteries.get(adapter) ?? run(servers, browser, adapter);
  batteries.set(adapter, started);
  return started;
}

async function run(servers: Servers, browser: Browser, adapter: AdapterName): Promise<Battery> {
  const page = await browser.newPage();
  const battery = await runBattery(page, servers.world, adapter);
  await page.context().close();
  console.log(summarize(adapter, battery));
  return battery;
}

test('the battery has at least 140 cases, each with a name of its own', () => {
  expect(allCases.length).toBeGreaterThanOrEqual(140);
  expect(new Set(allCases.map(({ name }) => name)).size).toBe(allCases.length);
});

for (const { title, cases } of groups) {
  test(title, async ({ browser, servers }) => {
    const { results } = await batteryOf(servers, browser, 'ours');
    const failures = results
      .filter((each) => cases.includes(each.case) && each.verdict !== 'passes')
      .map(({ case: { name, expected }, ...seen }) => ({ name, expected, ...seen }));

    expect(failures).toEqual([]);
  });
}

test('no case leaves an error in the page, or asks a stranger for a key', async ({
  browser,
  servers,
}) => {
  const { pageErrors } = await batteryOf(servers, browser, 'ours');

  expect(pageErrors).toEqual([]);
  expect(servers.strangerKeyRequests).toEqual([]);
});

test('G08: the battery detects an adapter that verifies nothing', { tag: '@long' }, async ({
  browser,
  servers,
}) => {
  const { results } = await batteryOf(servers, browser, 'naive');
  const signed = results.filter(({ case: each }) => groups[0]?.cases.includes(each));

  expect(count(results, 'passes')).toBeLessThan(results.length / 3);
  expect(count(results, 'believes')).toBeGreaterThan(results.length / 3);
  expect(count(signed, 'believes')).toBeGreaterThan(signed.length / 2);
});

test('the published predecessor passes fewer cases', { tag: '@long' }, async ({
  browser,
  servers,
}) => {
  const { results } = await batteryOf(servers, browser, 'predecessor');

  expect(count(results, 'passes')).toBeLessThan(results.length);
  expect(count(results, 'believes')).toBeGreaterThan(0);
});
