/**
 * The heights that the host receives. The host has the plug-in's origin, so that the test can observe
 * it.
 */
import type { Case, Group, PluginKit } from './case.ts';

interface Posted {
  height: unknown;
  to: unknown;
}

interface Heights {
  heights: Posted[];
  /** Resolves when so many were posted. */
  reached: (count: number) => Promise<void>;
  /** Resolves when one is less than the one before. */
  shrunk: () => Promise<void>;
}

/** Records the messages that this page posts to its host. */
function listenIn(): Heights {
  const heights: Posted[] = [];
  const checks: (() => void)[] = [];
  const onPosted = () => {
    for (const check of checks) check();
  };
  const until = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      checks.push(() => isTrue() && resolve());
      onPosted();
    });
  const post = parent.postMessage.bind(parent);
  parent.postMessage = ((message: { sub?: string; height?: unknown }, to: string) => {
    if (message.sub === 'setHeight') heights.push({ height: message.height, to });
    onPosted();
    post(message, to);
  }) as typeof parent.postMessage;
  return {
    heights,
    reached: (count) => until(() => heights.length >= count),
    shrunk: () => until(() => Number(heights.at(-1)?.height) < Number(heights.at(-2)?.height)),
  };
}

function measuring(
  name: string,
  expected: string,
  plugin: NonNullable<Case['plugin']>,
  more?: Partial<Case>,
): Case {
  return {
    name,
    expected,
    plugin,
    page: { host: 'plugin' },
    forgery: { iss: ({ plugin: own }) => own },
    ...more,
  };
}

const needs = 'setHeight' as const;

function block(heightPx: number): void {
  const element = document.body.appendChild(document.createElement('div'));
  element.style.height = `${heightPx}px`;
}

async function listHeights(
  { setHeight, init }: PluginKit,
  asked: number[],
  last: number,
): Promise<string> {
  const { heights, reached } = listenIn();
  await init();
  for (const height of [...asked, last]) setHeight?.(height);
  await reached(1);
  return heights.map(({ height }) => height).join();
}

export const heights: Group = {
  title: 'heights reach the verified host only, and only heights',
  cases: [
    measuring(
      'the measured height goes to the bound origin, not to every page',
      'bound',
      async ({ init, observeHeight }) => {
        const { heights, reached } = listenIn();
        await init();
        observeHeight();
        block(300);
        await reached(1);
        return heights.every(({ to }) => to === location.origin)
          ? 'bound'
          : `to ${String(heights[0]?.to)}`;
      },
    ),
    measuring(
      'nothing is sent before the host is verified',
      '0, then 300',
      async ({ init, setHeight }) => {
        const { heights, reached } = listenIn();
        setHeight?.(300);
        const before = heights.length;
        await init();
        await reached(1);
        return `${before}, then ${heights.map(({ height }) => String(height)).join()}`;
      },
      { needs },
    ),
    measuring(
      'NaN and negative heights are not sent',
      '40',
      (kit) => listHeights(kit, [Number.NaN, -5, Infinity, -Infinity], 40),
      { needs },
    ),
    measuring(
      'texts and objects are not sent',
      '40',
      (kit) => listHeights(kit, ['x', {}, undefined, [1, 2]] as never[], 40),
      { needs },
    ),
    measuring(
      'a height that was sent is not sent again',
      '40',
      (kit) => listHeights(kit, [39.2, 40, 39.9], 40),
      { needs },
    ),
    measuring(
      'a page that grows because its frame does gets back the height that it had before',
      'stopped',
      async ({ init, observeHeight }) => {
        const { heights, reached, shrunk } = listenIn();
        await init();
        const element = document.body.appendChild(document.createElement('div'));
        element.style.height = 'calc(100vh + 10px)';
        observeHeight();
        await Promise.race([reached(26), shrunk()]);
        return heights.length < 26 ? 'stopped' : 'grew on';
      },
    ),
  ],
};
