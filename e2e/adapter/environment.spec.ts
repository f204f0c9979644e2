/** The adapter without a platform around it, and in frames without cookies. */
import { readFile } from 'node:fs/promises';
import { chromium, expect, type Locator } from '@playwright/test';
import { compatibility } from './cases/surroundings.ts';
import { runBattery } from './run-battery.ts';
import { test } from './with-servers.ts';

/** The cookie that the plug-in's page can read after setting it. */
async function setCookie(body: Locator): Promise<string> {
  return body.evaluate(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous.
    document.cookie = 'seen=1; SameSite=None; Secure';
    return document.cookie;
  });
}

const shipped = new URL('../../packages/adapter/dist/', import.meta.url);

test('a page that is not framed says so', async ({ page, servers: { world } }) => {
  await page.goto(`${world.origins.plugin}/worker.html?src=instance-1`);

  const seen = await page.evaluate(async () => {
    const { createAdapter } = await import(`${location.origin}/dowel-adapter.js`);
    const { srcId, embedded, init } = createAdapter({});
    const { code, message, diagnosis } = await init().catch((error: unknown) => error);
    return { srcId, embedded, code, isSaid: message === diagnosis };
  });

  expect(seen).toEqual({
    srcId: 'instance-1',
    embedded: false,
    code: 'ERR_NOT_EMBEDDED',
    isSaid: true,
  });
});

test('a worker loads the adapter, and is not embedded', async ({ page, servers: { world } }) => {
  await page.goto(`${world.origins.plugin}/worker.html`);

  const seen = await page.evaluate(() => window.inWorker());

  expect(seen).toEqual({ srcId: null, embedded: false, code: 'ERR_NOT_EMBEDDED' });
});

test('a server loads the adapter, and is not embedded', async ({ servers }) => {
  expect(servers.world).toBeDefined();
  const { createAdapter } = await import(new URL('dowel-adapter.js', shipped).href);
  const { srcId, embedded, init } = createAdapter({ srcId: 'instance-1' });

  expect({ srcId, embedded }).toEqual({ srcId: 'instance-1', embedded: false });
  await expect(init()).rejects.toMatchObject({ code: 'ERR_NOT_EMBEDDED' });
});

test('the shipped file imports nothing and names its hash', async ({ servers }) => {
  expect(servers.world).toBeDefined();
  const [file, integrity] = await Promise.all(
    ['dowel-adapter.js', 'dowel-adapter.integrity'].map((name) =>
      readFile(new URL(name, shipped), 'utf8'),
    ),
  );

  expect(file).not.toMatch(/\bimport\b|\beval\b|innerHTML|Math\.random/);
  expect(integrity).toMatch(/^sha384-[\w+/]{64}$/);
});

test('the adapter needs no third-party cookies', async ({ servers, launchOptions }) => {
  const browser = await chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), '--test-third-party-cookie-phaseout'],
  });
  try {
    const page = await browser.newPage();
    const { farPlugin, tenant } = servers.world.origins;
    await page.goto(`${farPlugin}/worker.html`);
    expect(await setCookie(page.locator('body'))).toBe('seen=1');
    await page.goto(`${tenant}/leak-host.html`);
    expect(await setCookie(page.frameLocator('iframe').locator('body'))).toBe('');
    const { results } = await runBattery(page, servers.world, 'ours', compatibility.cases);
    const outcomes = results.map(({ case: { name }, verdict }) => ({ name, verdict }));

    expect(outcomes).toEqual(compatibility.cases.map(({ name }) => ({ name, verdict: 'passes' })));
  } finally {
    await browser.close();
  }
});
