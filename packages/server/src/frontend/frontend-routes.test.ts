import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTrustRules } from '@dowel/platform-jwt';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startServerWorld } from '../testing/server-world.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

const platforms = 'http://127.0.0.1:1 https://*.example.com';

beforeAll(async () => {
  const keys = 'https://keys.example.com/';
  const rules = `http://127.0.0.1:1=http://127.0.0.1:1/certificates/,https://*.example.com=${keys}`;
  world = await startWorld({ app: { trust: parseTrustRules(rules) } });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function get(path: string): Promise<Response> {
  return fetch(`${world.url}${path}`, { redirect: 'manual' });
}

test('/ and /admin redirect to /admin/, which does not redirect', async () => {
  for (const path of ['/', '/admin']) {
    expect((await get(path)).headers.get('location')).toBe('/admin/');
  }
  expect((await get('/admin/')).headers.get('location')).toBeNull();
});

test('every origin may read the manifest and the plug-in’s configuration', async () => {
  const manifest = await get('/manifest.json');
  const config = await get('/plugin/config.json');

  expect(manifest.headers.get('access-control-allow-origin')).toBe('*');
  expect(await manifest.json()).toHaveProperty('apiAccess');
  expect(config.headers.get('access-control-allow-origin')).toBe('*');
  expect(await config.json()).toEqual({
    keyOrigins: ['http://127.0.0.1:1', 'https://keys.example.com'],
  });
});

test('the platform may frame the plug-in’s page; nobody may frame the dashboard', async () => {
  const plugin = (await get('/plugin/')).headers;
  const admin = (await get('/admin/')).headers;

  expect(plugin.get('content-security-policy')).toContain(`frame-ancestors ${platforms}`);
  expect(plugin.get('content-security-policy')).not.toContain('unsafe');
  expect(plugin.get('x-frame-options')).toBeNull();
  expect(admin.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(admin.get('content-security-policy')).toContain("default-src 'self'");
  expect(admin.get('content-security-policy')).not.toContain('unsafe');
  for (const headers of [plugin, admin])
    expect(headers.get('x-content-type-options')).toBe('nosniff');
});

const sandbox = ';sandbox allow-scripts allow-forms allow-popups allow-downloads';

test('F29: each file of the page has an opaque origin, unless the option takes that away', async () => {
  await using servers = await startServerWorld();
  const directory = servers.folder;
  await writeFile(join(directory, 'index.html'), '<!doctype html>');
  const relaxed = await servers.create({ frontend: { directory, sandbox: false } }).start();
  const policyOf = async (url: string) =>
    (await fetch(url)).headers.get('content-security-policy') ?? '';

  for (const path of ['/plugin/', '/plugin/picture.svg']) {
    expect(`${await policyOf(`${world.url}${path}`)};`).toContain(`${sandbox};`);
  }
  expect(await policyOf(`${relaxed.url}/plugin/`)).not.toContain('sandbox');
});

test('the plug-in’s page may load its own fonts and images, and those inside its files', async () => {
  const policy = (await get('/plugin/')).headers.get('content-security-policy');

  for (const name of ['font-src', 'img-src']) {
    expect(policy).toMatch(new RegExp(`${name} http://[\\w.:]+ data:(?:;|$)`));
  }
});

test('a path that leaves the folder of the pages finds nothing', async () => {
  for (const path of [
    '/plugin/assets/..%2f..%2fpackage.json',
    '/admin/assets/%2e%2e/%2e%2e/src/main.tsx',
  ]) {
    expect((await get(path)).status).toBe(404);
  }
});

describe('with ?src=<instanceId>, the page', () => {
  const acme = 'https://acme.example.com';
  const framersOf = async (instanceId: string): Promise<string> => {
    const { headers } = await get(`/plugin/?src=${encodeURIComponent(instanceId)}`);
    const [, framers] =
      /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '') ?? [];
    return framers ?? '';
  };
  const place = async (issuer: string, instanceId: string) => {
    const key = { issuer, tenantId: randomUUID(), pluginId: randomUUID() };
    await world.store.transaction(async ({ installations }) => {
      const { id } = await installations.begin(key, 1, 1);
      await installations.addInstance(id, instanceId, 1);
    });
  };

  test('G07: may be framed only by the tenant that placed the instance', async () => {
    await place(acme, 'of-acme');

    expect(await framersOf('of-acme')).toBe(acme);
    const instanceId = randomUUID();
    await place(acme, instanceId);
    expect(await framersOf(`${randomUUID()}_${instanceId.toUpperCase()}`)).toBe(acme);
  });

  test('may be framed by each tenant that uses this id, and by all platforms if there are too many', async () => {
    for (const name of ['acme', 'hooli', 'wonka', 'umbrella']) {
      await place(`https://${name}.example.com`, 'shared');
    }
    const four = await framersOf('shared');
    await place('https://initech.example.com', 'shared');

    expect(four.split(' ')).toHaveLength(4);
    expect(await framersOf('shared')).toBe(platforms);
  });

  test('may be framed by all platforms while nobody is known to have placed the instance', async () => {
    await place('https://stranger.example', 'of-a-platform-that-is-trusted-no-more');

    for (const instanceId of [
      'unknown',
      '',
      'x'.repeat(500),
      '\0',
      'of-a-platform-that-is-trusted-no-more',
    ]) {
      expect(await framersOf(instanceId)).toBe(platforms);
    }
  });

  test('is sent while the database does not answer', async () => {
    await place(acme, 'known');
    vi.spyOn(world.store.installations, 'listIssuersOf').mockRejectedValueOnce(new Error('away'));

    expect(await framersOf('known')).toBe(platforms);
  });
});
