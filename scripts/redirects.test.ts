/**
 * A `fetch` follows redirects by default, and a 307 or 308 sends body and headers to another origin. So
 * each call in the product sets `redirect`.
 */
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);

/** These calls go through a function of ours that sets `redirect` itself. */
const wrapped = new Map([
  ['apps/admin/src/create-admin.tsx', 'globalThis.fetch(...request)'], // api/api-client.ts
  ['packages/server/src/platform/call-platform.ts', 'context.tokenClient.fetch('], // packages/token-client
  ['packages/adapter/src/client/create-client.ts', 'session.fetch(path'], // packages/adapter/src/session.ts
  ['packages/token-client/src/token-client.ts', 'fetch(installationId: string'], // the definition
]);

/** Every source file that is part of the product: no tests, no benchmarks, nothing for tests only. */
async function listSources(): Promise<string[]> {
  const sources = '{apps,packages}/*/{src,host-page}/**/*.{ts,tsx,js}';
  const files = await Array.fromAsync(glob(sources, { cwd: fileURLToPath(root) }));
  const isForTests = /\.test\.tsx?$|\/testing[/.]|\/contract\//;
  return files.filter((file) => !isForTests.test(file.slice(file.indexOf('/src/'))));
}

/** The text of each call of a function named `fetch`, from its name to its closing parenthesis. */
function findCalls(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/[\w.]*\bfetch\(/g)].map(({ index, 0: { length } }) => {
    let end = index + length;
    for (let depth = 1; depth > 0 && end < code.length; end += 1) {
      if (code[end] === '(') depth += 1;
      if (code[end] === ')') depth -= 1;
    }
    return code.slice(index, end);
  });
}

function isExplicit(call: string): boolean {
  return /redirect: '(error|manual)'/.test(call);
}

test('the guard sees a call that follows redirects', () => {
  const source = `
    await fetch(url, { headers: read(a) });
    await env.fetch(url, { redirect: 'follow' });
    await fetch(url, { redirect: 'error' });
    await deps.fetch(url, { signal: (() => signal)(), redirect: 'manual' }).catch(() => {});
  `;

  expect(findCalls(source).map(isExplicit)).toEqual([false, false, true, true]);
});

test('every fetch in the product sets that it follows no redirect', async () => {
  const following: string[] = [];
  let count = 0;
  for (const file of await listSources()) {
    const calls = findCalls(await readFile(new URL(file, root), 'utf8'));
    const known = wrapped.get(file);
    count += calls.length;
    following.push(
      ...calls
        .filter((call) => !isExplicit(call) && !(known && call.startsWith(known)))
        .map((call) => `${file}: ${call}`),
    );
  }

  expect(following).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(10);
});
