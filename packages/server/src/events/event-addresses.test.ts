/** Events arrive at the manifest's URLs (Spec §2.1, §4.1), however the platform joins them. */
import { readFile } from 'node:fs/promises';
import { type Manifest, manifestSchema } from '@dowel/schema';
import { describe, expect, test } from 'vitest';
import { createInstallEvent, expectRefusal } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import { createEventPaths, listEventAddresses, listForeignAddresses } from './event-addresses.ts';

const text = await readFile(new URL('../../../../manifest.json', import.meta.url), 'utf8');
const sample = JSON.parse(text) as Manifest & {
  lifecycle: NonNullable<Manifest['lifecycle']>;
  apiAccess: NonNullable<Manifest['apiAccess']>;
};

function startWith(changes: object, app: { eventPath?: string } = {}): Promise<World> {
  const manifest = { ...sample, ...changes };
  return startWorld({
    app: {
      ...app,
      manifest: manifestSchema.parse(manifest),
      manifestText: JSON.stringify(manifest),
    },
  });
}

const withUrls = (lifecycleUrl: string, apiUrl: string) => ({
  lifecycle: { ...sample.lifecycle, url: lifecycleUrl },
  apiAccess: { ...sample.apiAccess, url: apiUrl },
});

async function post(world: World, path: string): Promise<Response> {
  return fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/jwt' },
    body: await createInstallEvent(world),
  });
}

describe('the back end', () => {
  test.each([
    ['events/', 'events/'],
    ['events', 'api-access'],
    ['/base/path/events/', '/base/path/tokens'],
    ['/ev%C3%A9nements/', './'],
    ['/api/', '/admin/api/'],
  ])('with lifecycle at %s and apiAccess at %s is installed by the platform', async (...urls) => {
    await using world = await startWith(withUrls(...urls));

    const { installationId } = await world.install();

    const installation = await world.store.installations.get(installationId);
    expect(installation?.status).toBe('active');
  });

  test('serves a base that is an absolute URL of its own', async () => {
    await using world = await startWith({});
    await using other = await startWith(withUrls(`${world.url}/x/`, 'y/'));

    expect((await post(other, '/x/install')).status).not.toBe(404);
  });

  test.each(['/events/install', '/eventsinstall', '/events//install', '/events/install/'])(
    'takes the joining %s, whether or not the base ends in a slash',
    async (path) => {
      for (const base of ['events', 'events/']) {
        await using world = await startWith(withUrls(base, base));

        expect((await post(world, path)).status).toBe(201);
      }
    },
  );

  test('refuses an event at the address of another', async () => {
    await using world = await startWith(withUrls('events/', 'tokens/'));

    await expectRefusal(await post(world, '/events/uninstall'), 400);
    await expectRefusal(await post(world, '/tokens/access_token'), 400);
  });

  test('serves only the events that the manifest names, and answers others in the platform’s form', async () => {
    await using world = await startWith({
      ...withUrls('events/', 'tokens/'),
      apiAccess: undefined,
    });

    await expectRefusal(await post(world, '/events/access_token'), 404);
    expect((await post(world, '/tokens/access_token')).status).toBe(404);
    expect((await post(world, '/lifecycle/install')).status).toBe(404);
    const byGet = await fetch(`${world.url}/events/install`);
    expect(byGet.headers.get('allow')).toBe('POST');
    await expectRefusal(byGet, 405);
  });

  test('without lifecycle serves access_token alone', async () => {
    await using world = await startWith({ lifecycle: undefined });

    expect((await post(world, '/lifecycle/install')).status).toBe(404);
    await expectRefusal(await post(world, '/lifecycle/access_token'), 400);
  });

  test('serves the path that a proxy sends the events to, in place of the manifest’s', async () => {
    const urls = withUrls('https://hooks.example.com/a/', 'https://hooks.example.com/b/');
    await using world = await startWith(urls, { eventPath: '/behind/' });

    expect((await post(world, '/behind/install')).status).toBe(201);
    await expectRefusal(await post(world, '/behind/access_token'), 400);
    expect((await post(world, '/a/install')).status).toBe(404);
  });
});

describe('the addresses', () => {
  test('are what the platform calls, and foreign when they name another origin', () => {
    const manifest = { ...sample, ...withUrls('events', 'https://other.example/tokens/') };

    const addresses = listEventAddresses(manifest, 'https://plugin.example');

    expect(addresses.map(({ event, url }) => `${event} ${url.href}`)).toEqual([
      'install https://plugin.example/events/install',
      'uninstall https://plugin.example/events/uninstall',
      'instance_add https://plugin.example/events/instance_add',
      'instance_remove https://plugin.example/events/instance_remove',
      'access_token https://other.example/tokens/access_token',
    ]);
    expect(listForeignAddresses(addresses, 'https://plugin.example')).toEqual([addresses.at(-1)]);
  });

  test('are the same in another spelling of their letters, and %2F is no slash', () => {
    const manifest = { ...sample, ...withUrls('/%C3%A9v/', '/x/') };
    const paths = createEventPaths(listEventAddresses(manifest, 'https://plugin.example'));

    expect(paths.find('/%c3%a9v/install')).toBe('install');
    expect(paths.find('/%C3%A9v%2Finstall')).toBeUndefined();
  });

  test.each([undefined, '/in/', '/polls/in/'])(
    'are below the base path, with eventPath %s',
    (eventPath) => {
      const addresses = listEventAddresses(
        { ...sample, ...withUrls('in/', 'in/') },
        'https://plugin.example/polls',
      );

      const paths = createEventPaths(addresses, { eventPath, basePath: '/polls' });

      expect(paths.find('/in/install')).toBe('install');
    },
  );

  test('are plain text, also if they look like a router’s pattern', () => {
    const manifest = { ...sample, ...withUrls('/a*(b)/:c/', '/x/') };
    const paths = createEventPaths(listEventAddresses(manifest, 'https://plugin.example'));

    expect(paths.find('/a*(b)/:c/install')).toBe('install');
    expect(paths.find('/aab/c/install')).toBeUndefined();
    expect(paths.find('/%E0%A4%A/install')).toBeUndefined();
  });
});
