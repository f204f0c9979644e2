/** The frame follows its page's height in real Chromium, for every cause of a change. */
import { expect, type Frame, type Page } from '@playwright/test';
import type { Servers } from './servers.ts';
import { test } from './with-servers.ts';

interface Opened {
  plugin: Frame;
  /** Waits until the host has made the frame that high. */
  becomes: (heightPx: number) => Promise<void>;
}

async function open(page: Page, servers: Servers, where = ''): Promise<Opened> {
  await page.goto(`${servers.world.origins.tenant}/heights-host.html${where}`);
  const iframe = page.locator('iframe');
  const plugin = (await (await iframe.elementHandle())?.contentFrame()) as Frame;
  await plugin.waitForLoadState();
  const becomes = (heightPx: number) =>
    expect.poll(() => iframe.evaluate((frame) => frame.style.height)).toBe(`${heightPx}px`);
  return { plugin, becomes };
}

function show(plugin: Frame, html: string): Promise<void> {
  return plugin.evaluate((text) => {
    document.body.innerHTML = text;
  }, html);
}

const diagnosesOf = (plugin: Frame) =>
  plugin.evaluate(() => (window as { diagnoses?: string[] }).diagnoses);

const box = (style: string, inside = '') => `<div style="${style}">${inside}</div>`;
const high = (heightPx: number) => box(`height: ${heightPx}px`);
const image = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="333"/>')}`;

test.describe('a frame is as high as', () => {
  const cases: [what: string, html: string, heightPx: number][] = [
    ['what is in the flow', high(400), 400],
    ['the margin of the last element', box('', box('height: 300px; margin-bottom: 21px')), 321],
    [
      'what is positioned absolutely',
      high(50) + box('position: absolute; top: 300px; height: 40px'),
      340,
    ],
    ['what overflows a fixed height', box('height: 50px', high(260)), 260],
    [
      'an absolute menu in a box that cuts the flow',
      high(50) +
        box('overflow: hidden; height: 20px', box('position: absolute; top: 200px; height: 80px')),
      280,
    ],
    [
      'what overflows a body that is cut: its frame is what cuts',
      `<style>html, body { height: 60px } body { overflow: hidden }</style>${high(310)}`,
      310,
    ],
    ['an element that is moved down', box('height: 100px; transform: translateY(70px)'), 170],
    [
      'what is shown inside of what is hidden',
      high(50) + box('visibility: hidden', box('visibility: visible; height: 120px')),
      170,
    ],
    ['an image that loads late', `<img style="display: block" src="${image}">`, 333],
    ['nothing fixed', high(90) + box('position: fixed; top: 500px; height: 100px', high(50)), 90],
    ['nothing hidden', high(91) + box('position: absolute; visibility: hidden; height: 700px'), 91],
    ['nothing that is scrolled', box('height: 92px; overflow: auto', high(700)), 92],
    [
      'no closed details',
      `${high(93)}<details style="position: absolute; top: 0"><summary>More</summary>${high(700)}</details>`,
      93,
    ],
  ];
  for (const [what, html, heightPx] of cases) {
    test(what, async ({ page, servers }) => {
      const { plugin, becomes } = await open(page, servers);
      await show(plugin, html);
      await becomes(heightPx);
    });
  }
});

test.describe('a page that is sized by its frame', () => {
  const cases: [what: string, html: string, heightPx: number][] = [
    ['100vh', box('min-height: 100vh') + high(40), 190],
    ['a part of vh', box('height: 110vh'), 165],
    ['100 %', `<style>html, body, main { height: 100% }</style><main></main>${high(40)}`, 190],
  ];
  for (const [what, html, heightPx] of cases) {
    test(`by ${what} keeps its first height, and says so`, async ({ page, servers }) => {
      const { plugin, becomes } = await open(page, servers);
      await show(plugin, high(150));
      await becomes(150);
      await show(plugin, html);
      await expect.poll(() => diagnosesOf(plugin)).toHaveLength(1);
      await becomes(heightPx);
      expect((await diagnosesOf(plugin))?.[0]).toContain(`stays ${heightPx} px high`);
    });
  }

  test('is followed when its content grows', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers);
    await show(plugin, `<main style="min-height: 100vh"></main>${high(40)}`);
    await expect.poll(() => diagnosesOf(plugin)).toHaveLength(1);
    await plugin.evaluate(() => {
      const main = document.querySelector('main') as HTMLElement;
      main.innerHTML = '<div style="height: 500px"></div>';
    });
    await expect.poll(() => diagnosesOf(plugin)).toHaveLength(2);
    await becomes(540);
  });
});

test.describe('a height is followed', () => {
  test('when a page shrinks, and when it grows after it was empty', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers);
    for (const heightPx of [500, 120, 0, 240]) {
      await show(plugin, heightPx ? high(heightPx) : '');
      await becomes(heightPx);
    }
  });

  test('when an absolute menu closes by a class far above it', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers);
    await show(
      plugin,
      `<style>.open i { position: absolute; top: 300px; height: 50px; display: block } i { display: none }</style>${high(60)}<p style="margin: 0"><b><i></i></b></p>`,
    );
    await becomes(60);
    for (const heightPx of [350, 60]) {
      await plugin.evaluate(() => document.body.classList.toggle('open'));
      await becomes(heightPx);
    }
  });

  test('when CSS alone opens a menu, by the focus', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers);
    await show(
      plugin,
      `<style>i { position: absolute; top: 200px; height: 50px; display: none } button:focus + i { display: block }</style><div style="height: 60px"><button>Menu</button><i></i></div>`,
    );
    await becomes(60);
    await plugin.locator('button').focus();
    await becomes(250);
    await plugin.locator('button').blur();
    await becomes(60);
  });

  test('to the end of a transition and of an animation', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers);
    await show(
      plugin,
      `<style>@keyframes fall { to { top: 290px } } div { position: absolute; height: 10px; top: 40px } .a { transition: top 100ms } .a.down { top: 190px } .b { animation: fall 100ms forwards }</style><div class="a"></div>`,
    );
    await becomes(50);
    await plugin.evaluate(() => document.querySelector('div')?.classList.add('down'));
    await becomes(200);
    await plugin.evaluate(() => document.querySelector('div')?.setAttribute('class', 'b'));
    await becomes(300);
  });

  test('among 20,000 elements, in the flow and out of it', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers);
    await show(plugin, `<style>p { margin: 0; height: 1px }</style>${'<p></p>'.repeat(20_000)}`);
    await becomes(20_000);
    await plugin.evaluate(() =>
      document.querySelector('p:nth-of-type(300)')?.setAttribute('style', 'height: 11px'),
    );
    await becomes(20_010);
    await plugin.evaluate(() =>
      document
        .querySelector('p:nth-of-type(9)')
        ?.setAttribute('style', 'position: absolute; top: 0; height: 21000px'),
    );
    await becomes(21_000);
    await plugin.evaluate(() => document.querySelector('p:nth-of-type(9)')?.remove());
    await becomes(20_009);
  });

  test('not while the frame is hidden, and again when it is displayed', async ({
    page,
    servers,
  }) => {
    const { plugin, becomes } = await open(page, servers);
    await show(plugin, high(300));
    await becomes(300);
    const iframe = page.locator('iframe');
    const setDisplay = (display: string) =>
      iframe.evaluate((frame, value) => {
        frame.style.display = value;
      }, display);

    await setDisplay('none');
    // The frame runs in another process and receives the change later.
    const boxes = () => plugin.evaluate(() => document.documentElement.getClientRects().length);
    await expect.poll(boxes).toBe(0);
    await show(plugin, high(80) + box('position: absolute; top: 180px; height: 20px'));
    // The follower measures within 100 ms of a change; this timer was set later and is longer.
    await plugin.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await iframe.evaluate((frame) => frame.style.height)).toBe('300px');

    await setDisplay('block');
    await becomes(200);
  });

  test('in a frame that is out of sight', async ({ page, servers }) => {
    const { plugin, becomes } = await open(page, servers, '#below');
    await show(plugin, high(410));
    await becomes(410);
    await show(plugin, high(80) + box('position: absolute; top: 180px; height: 20px'));
    await becomes(200);
  });
});
