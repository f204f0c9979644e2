import { expect, test } from 'vitest';
import { type UpdateOffer, updateOfferSchema } from './control-api.ts';
import { openPage } from './testing/open-page.ts';
import { mara, startWorld, type World } from './testing/start-world.ts';

/** An installed plug-in, and how a page looks for an update and makes it. */
async function startInstalled(world: World) {
  const pluginId = await world.install();
  const page = await openPage(world, mara);
  const path = `/plugins/${pluginId}/update`;
  return {
    find: async (): Promise<UpdateOffer> =>
      updateOfferSchema.parse((await page.request('GET', path)).body),
    update: () => page.request('POST', path),
  };
}

test('a manifest that has not changed offers nothing, and leaves no record', async () => {
  await using world = await startWorld();
  const { find } = await startInstalled(world);
  const { length } = world.platform.exchanges();

  expect(await find()).toEqual({ changes: [], problem: null });
  expect(world.platform.exchanges()).toHaveLength(length);
});

test('a changed manifest is an offer until the update', async () => {
  await using world = await startWorld();
  const { find, update } = await startInstalled(world);
  const { manifest } = world.plugin;
  manifest.apiAccess = { ...manifest.apiAccess, url: '/other/' } as typeof manifest.apiAccess;
  const added = { ...manifest.entryPoints[0], id: crypto.randomUUID(), name: { de: 'Neu' } };
  manifest.entryPoints = [...manifest.entryPoints, added] as typeof manifest.entryPoints;

  expect(await find()).toEqual({
    changes: [
      { kind: 'accessChanged', entryPoint: null },
      { kind: 'entryPointAdded', entryPoint: 'Neu' },
    ],
    problem: null,
  });
  await update();
  expect(await find()).toEqual({ changes: [], problem: null });
});

test('a manifest that cannot be used is a problem in words', async () => {
  await using world = await startWorld();
  const { find } = await startInstalled(world);
  Object.assign(world.plugin.manifest, { name: 1 });

  expect(await find()).toMatchObject({ changes: [], problem: { code: 'MANIFEST_INVALID' } });
});
