import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
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
  expect(await config.json()).toEqual({ keyOrigins: [world.platform.origin] });
});

test('the platform may frame the plug-in’s page; nobody may frame the dashboard', async () => {
  const plugin = (await get('/plugin/')).headers;
  const admin = (await get('/admin/')).headers;

  expect(plugin.get('content-security-policy')).toContain(
    `frame-ancestors ${world.platform.origin}`,
  );
  expect(plugin.get('content-security-policy')).not.toContain('unsafe');
  expect(plugin.get('x-frame-options')).toBeNull();
  expect(admin.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(admin.get('content-security-policy')).toContain("default-src 'self'");
  expect(admin.get('content-security-policy')).not.toContain('unsafe');
  for (const headers of [plugin, admin])
    expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a path that leaves the folder of the pages finds nothing', async () => {
  for (const path of [
    '/plugin/assets/..%2f..%2fpackage.json',
    '/admin/assets/%2e%2e/%2e%2e/src/main.tsx',
  ]) {
    expect((await get(path)).status).toBe(404);
  }
});
