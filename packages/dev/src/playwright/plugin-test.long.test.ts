import type { Exchange } from '@dowel/emulator';
import { expect, test } from 'vitest';
import { fakePlugin, manifestWith } from '../testing/fake-plugin.ts';
import { runInProject } from '../testing/run-in-project.ts';

interface Result {
  title: string;
  status: string;
  workerIndex: number;
  message: string;
  attachments: Record<string, string>;
  stdout: string;
}

interface Report {
  errors: object[];
  suites: {
    specs: {
      title: string;
      tests: {
        results: {
          status: string;
          workerIndex: number;
          error?: { message: string };
          stdout: { text: string }[];
          /** Playwright adds files of its own, without a body. */
          attachments: { name: string; body?: string }[];
        }[];
      }[];
    }[];
  }[];
}

// The folder belongs to our package.
const { 'package.json': _own, ...plugin } = fakePlugin;
const config = `export default { reporter: 'json', fullyParallel: true, workers: 2, timeout: 100_000 };`;
const head = `
import { test } from '@dowel/dev/playwright';
import { expect } from '@playwright/test';
`;

async function run(files: Record<string, string>): Promise<Result[]> {
  const { output } = await runInProject(
    { ...plugin, 'playwright.config.js': config, ...files },
    { runner: '@playwright/test/cli.js', args: ['test'] },
  );
  const { suites, errors } = JSON.parse(output) as Report;
  expect(errors).toEqual([]);
  return suites
    .flatMap(({ specs }) => specs)
    .flatMap(({ title, tests }) =>
      tests
        .flatMap(({ results }) => results)
        .map(({ status, workerIndex, error, stdout, attachments }) => ({
          title,
          status,
          workerIndex,
          message: error?.message ?? '',
          attachments: Object.fromEntries(
            attachments
              .filter(({ body }) => body !== undefined)
              .map(({ name, body = '' }) => [name, Buffer.from(body, 'base64').toString()]),
          ),
          stdout: stdout.map(({ text }) => text).join(''),
        })),
    );
}

test('each worker has a platform and a back end, and each test an installation', async () => {
  const results = await run({
    // Somebody has taken the port of the first start.
    'server.js': `
import { existsSync, writeFileSync } from 'node:fs';
if (!existsSync('taken')) {
  writeFileSync('taken', '');
  throw new Error('listen EADDRINUSE');
}
${plugin['server.js']}`,
    'story.spec.js': `${head}
for (const title of ['one', 'two', 'three', 'four']) {
  test(title, async ({ platform, tenant, user, installation }) => {
    const { installations } = platform.plugins(tenant.tenantId);
    expect(installations.map(({ pluginId }) => pluginId)).toEqual([installation.pluginId]);
    expect(user).toBe(platform.tenants[0].users[0]);
    console.log(platform.origin + ' ' + installation.manifestUrl);
  });
}
`,
    'elsewhere.spec.js': `${head}
const userId = 'b2c6d1ef-2d20-4e1b-8d66-1b7e3a4c5d02';
test.use({ userId });
test('five', ({ platform, tenant, user, installation }) => {
  expect([user.userId, tenant.name]).toEqual([userId, 'Globex']);
  console.log(platform.origin + ' ' + installation.manifestUrl);
});
`,
  });
  const workers = new Set(results.map(({ workerIndex }) => workerIndex));
  const worlds = new Set(results.map(({ stdout }) => stdout));

  expect(results.map(({ status, message }) => [status, message])).toEqual(
    results.map(() => ['passed', '']),
  );
  expect([results.length, workers.size, worlds.size]).toEqual([5, 2, 2]);
  expect(results.flatMap(({ attachments }) => Object.keys(attachments))).toEqual([]);
});

test('a failed test has its requests and the log of the back end', async () => {
  const [, result] = await run({
    'playwright.config.js': config.replace('fullyParallel: true', 'fullyParallel: false'),
    'server.js': `console.log('lunch is ready');${plugin['server.js']}`,
    'story.spec.js': `${head}
test('before', ({ installation }) => expect(installation.name).toBe('Lunch'));
test('fails', ({ installation }) => expect(installation.name).toBe('Dinner'));
`,
  });
  const { 'requests of the platform': requests = '', 'log of the back end': log } =
    result?.attachments ?? {};
  const exchanges = JSON.parse(requests) as Exchange[];

  expect(result).toMatchObject({ title: 'fails', status: 'failed' });
  expect(exchanges.map(({ kind, event, status }) => [kind, event, status])).toEqual([
    ['manifest', null, 200],
    ['event', 'install', 201],
    ['event', 'uninstall', 201],
  ]);
  expect(requests).not.toMatch(/eyJ[\w-]+\./);
  expect(log).toContain('lunch is ready');
});

test('a user who does not exist is named', async () => {
  const [result] = await run({
    'story.spec.js': `${head}
test.use({ userId: 'nobody' });
test('one', ({ tenant }) => tenant);
`,
  });

  expect(result?.message).toContain('userId: the platform has no user nobody.');
});

test('a back end that ends at its start fails each test with its output', async () => {
  const results = await run({
    'server.js': `console.error('there is no kitchen'); process.exit(3);`,
    'story.spec.js': `${head}
test('one', ({ platform }) => platform);
test('two', ({ platform }) => platform);
`,
  });

  expect(results.map(({ status }) => status)).toEqual(['failed', 'failed']);
  for (const { message } of results) {
    expect(message).toContain('there is no kitchen');
    expect(message).toContain('The back end ended with code 3.');
  }
});

test('a back end that ends during a test fails it at once, and the next one has another', async () => {
  const [first, second] = await run({
    'playwright.config.js': config.replace('workers: 2', 'workers: 1'),
    'manifest.json': manifestWith(1, {
      lifecycle: { url: 'lifecycle/', events: ['install', 'uninstall', 'instance_add'] },
    }),
    'server.js': `${plugin['server.js']}
import { existsSync, writeFileSync } from 'node:fs';
if (!existsSync('ended')) setInterval(() => {
  if (!existsSync('end')) return;
  writeFileSync('ended', '');
  console.error('the kitchen burns');
  process.exit(4);
}, 20);`,
    'story.spec.js': `${head}
import { writeFileSync } from 'node:fs';
test('ends', async ({ installation }) => {
  writeFileSync('end', '');
  await new Promise(() => {});
});
test('goes on', ({ installation }) => expect(installation.name).toBe('Lunch'));
`,
  });

  expect(first).toMatchObject({ title: 'ends', status: 'failed' });
  expect(first?.message).toContain('The back end ended with code 4.');
  expect(first?.message).toContain('the kitchen burns');
  expect(first?.attachments['log of the back end']).toContain('the kitchen burns');
  expect(second).toMatchObject({ title: 'goes on', status: 'passed', message: '' });
});
