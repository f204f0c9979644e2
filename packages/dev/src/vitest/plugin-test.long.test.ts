import { readFile } from 'node:fs/promises';
import type { Exchange } from '@dowel/emulator';
import { expect, test } from 'vitest';
import { manifestWith } from '../testing/fake-plugin.ts';
import { runInProject } from '../testing/run-in-project.ts';

const head = `
import { createServer } from '@dowel/server';
import { pluginTest } from '@dowel/dev/vitest';
import { expect } from 'vitest';

const manifest = ${manifestWith(1)};
`;
const run = (files: Record<string, string>) =>
  runInProject(files, {
    runner: 'vitest/vitest.mjs',
    args: ['run', '--root=.'],
  });

test('a file has one world, and each test a page of its user', async () => {
  const { code, output } = await run({
    'story.test.js': `${head}
const test = pluginTest((options) => createServer({ ...options, manifest }));
const seen = [];

test.for([1, 2])('page %s', async (_, { page, user, tenant, platform }) => {
  seen.push({ pluginId: page.pluginId, instanceId: page.instanceId, origin: platform.origin });
  expect([page.user, page.tenantId]).toEqual([user, tenant.tenantId]);
  expect(user).toBe(platform.tenants[0].users[0]);
});

test('the pages differ', () => {
  const count = (name) => new Set(seen.map((each) => each[name])).size;
  expect([count('origin'), count('pluginId'), count('instanceId')]).toEqual([1, 1, 2]);
});

test.describe('with another user', () => {
  test.override('user', ({ platform }) => platform.tenants[1].users[1]);

  test('the page is in the tenant of that user', ({ page, tenant, platform }) => {
    expect([page.user, tenant]).toEqual([platform.tenants[1].users[1], platform.tenants[1]]);
    expect(page.tenantId).toBe(tenant.tenantId);
  });
});
`,
  });

  expect(output).toContain('Tests  4 passed (4)');
  expect(code).toBe(0);
});

test('a failed test has the requests of the platform and the log, and one that passes has none', async () => {
  const { code, errors } = await run({
    'story.test.js': `${head}
const test = pluginTest((options) => {
  options.log.warn({ table: 3 }, 'lunch.off');
  options.log.error({ err: new Error('no soup') }, 'lunch.failed');
  return createServer({ ...options, manifest });
});

test('it passes', async ({ page }) => {});
test('it fails', async ({ page }) => expect((await page.fetch('/nothing')).status).toBe(200));
`,
  });
  const [, requestsPath = '', logPath = ''] =
    /Requests of the platform: (.+)\nLog of the back end: (.+)/.exec(errors) ?? [];
  const requests = JSON.parse(await readFile(requestsPath, 'utf8')) as Exchange[];
  const log = await readFile(logPath, 'utf8');

  expect([code, errors.split('Requests of the platform').length]).toEqual([1, 2]);
  expect(errors).toContain('expected 404 to be 200');
  expect(requests.map(({ event, status }) => [event, status])).toContainEqual(['install', 201]);
  expect(JSON.stringify(requests)).not.toMatch(/eyJ[\w-]+\./);
  expect(log).toContain('{"level":"warn","msg":"lunch.off","table":3}');
  expect(log).toContain('Error: no soup');
  expect(errors).toContain('lunch.failed');
});

test('a back end that cannot start fails each test at once, with the reason', async () => {
  const { code, output, errors } = await run({
    'story.test.js': `${head}
const test = pluginTest(() => { throw new Error('there is no kitchen'); });

test('one', ({ page }) => page);
test('two', ({ page }) => page);
`,
  });

  expect(code).toBe(1);
  expect(output).toContain('Tests  2 failed (2)');
  expect(errors).toContain('there is no kitchen');
});
