/** The forms of messages that the public documents leave open. */
import { expect, test } from 'vitest';
import type { WireForms } from './control-api.ts';
import { entryPointId } from './testing/start-plugin.ts';
import { acme, startWorld, type World } from './testing/start-world.ts';

async function place({ platform }: World, pluginId: string) {
  return platform.addInstance({ tenantId: acme, pluginId, entryPointId });
}

test.each<[WireForms['src'], (ids: { pluginId: string; instanceId: string }) => string | RegExp]>([
  ['composed', ({ instanceId }) => `${acme}_${instanceId}`],
  ['instance', ({ instanceId }) => instanceId],
  ['plugin-id', ({ pluginId }) => `${acme}_${pluginId}`],
  ['opaque', () => /^[\w-]{22}$/],
])('the src of a page is %s, and stays the same', async (src, expected) => {
  await using world = await startWorld({ src });
  const pluginId = await world.install();

  const instance = await place(world, pluginId);

  const form = expected({ pluginId, instanceId: instance.instanceId });
  expect(instance.src).toMatch(typeof form === 'string' ? new RegExp(`^${form}$`) : form);
  expect(new URL(instance.url).searchParams.get('src')).toBe(instance.src);
  const [installation] = world.platform.plugins(acme).installations;
  expect(installation?.instances[0]?.src).toBe(instance.src);
});

test('base_url, trigger_event and claims have the forms of the lab', async () => {
  await using world = await startWorld();
  const forms = { baseUrl: 'other-host', trigger: 'uri', extraClaims: true } as const;
  world.platform.changeLab(acme, { forms });

  const pluginId = await world.install();

  const { claims } = world.plugin.events.at(-1) ?? {};
  const { origin } = new URL(String(claims?.base_url));
  expect(new URL(origin).port).toBe(new URL(world.platform.origin).port);
  expect(origin).not.toBe(world.platform.origin);
  expect(claims).toMatchObject({
    edition: 'emulated',
    client: {
      trigger_event: {
        uri: `${String(claims?.base_url)}/api/plugins/${pluginId}/access_token/${acme}`,
      },
    },
  });
});

test('an entry point that the manifest does not have is answered with those that it has', async () => {
  await using world = await startWorld();
  const pluginId = await world.install();

  await expect(
    world.platform.addInstance({ tenantId: acme, pluginId, entryPointId: 'widget' }),
  ).rejects.toThrow(`The manifest has only the entry points ${entryPointId}`);
});
