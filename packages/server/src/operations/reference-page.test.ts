import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startWorld } from '../testing/start-world.ts';
import { createNotification } from './create-notification.ts';
import { defineOperation } from './define-operation.ts';
import { describeOperations, type OpenApiDocument } from './openapi.ts';
import type { OperationTable } from './operation.ts';
import { readOperations } from './operation-table.ts';
import { renderReference } from './reference-page.ts';

const tree = z.object({
  label: z.string(),
  get children() {
    return z.array(tree).optional();
  },
});

function describeTable(operations: OperationTable): OpenApiDocument {
  return describeOperations({
    manifest: { name: { en: 'Poll' }, pluginVersion: '1.2.0' },
    url: 'https://polls.example.com/base',
    operations: readOperations(operations, { requestedScopes: ['plugin:notify'] }),
  });
}

const vote = defineOperation({
  summary: 'Votes once for each user.',
  input: z.object({
    choice: z.enum(['soup', 'salad']).describe('What to eat'),
    reason: z.string().min(1).max(80).optional(),
    servings: z.int().min(1).default(2),
    until: z.iso.date().nullable(),
    tags: z.array(z.string().length(4)).max(5),
    names: z.record(z.string().regex(/^[a-z]{2}$/), z.string()),
    how: z.union([
      z.object({ by: z.literal('hand') }),
      z.object({ by: z.literal('foot'), side: z.string() }),
    ]),
    place: z.tuple([z.number(), z.number().gt(0).multipleOf(2)]),
    anything: z.json(),
  }),
  output: z.object({}),
  errors: { ALREADY_VOTED: 409 },
  run: () => ({}),
});

/** The text of the page without tags. */
function readText(page: string): string {
  const [, body = ''] = page.split('<body>');
  return body
    .replaceAll(/<(?:th|td|h\d|p|li|section)\b/g, ' $&')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"');
}

test('the page says of each operation its path, scopes, input, output and errors', () => {
  const text = readText(renderReference(describeTable({ vote, createNotification })));

  for (const words of [
    'Version 1.2.0, at https://polls.example.com/base',
    'Votes once for each user.',
    'POST /api/vote',
    'choice "soup" or "salad", required',
    'What to eat',
    'reason string, 1 to 80 characters',
    'servings integer, at least 1, default 2',
    'until string (date) or null, required',
    'tags list of string (exactly 4 characters), at most 5 items, required',
    'any name, matches ^[a-z]{2}$: string',
    'how object, required',
    'side string, required',
    'place list of number, then number (more than 0, a multiple of 2), required',
    'Output empty object',
    '409 ALREADY_VOTED',
    'POST /api/createNotification',
    'Needs plugin:notify',
    'OUTCOME_UNKNOWN',
  ]) {
    expect(text).toContain(words);
  }
  expect(text.split('RATE_LIMITED')).toHaveLength(2);
});

test('a schema that contains itself is a link to its place, and each link has one place', () => {
  const grow = defineOperation({ input: tree, output: tree, run: ({ input }) => input });
  const page = renderReference(describeTable({ vote, grow }));

  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, place = '']) => place);
  const places = [...page.matchAll(/ id="([^"]+)"/g)].map(([, place = '']) => place);

  expect(links).toContain('schema-grow.input');
  expect(links.filter((place) => !places.includes(place))).toEqual([]);
  expect(new Set(places).size).toBe(places.length);
});

test('nothing in the document becomes a mark of the page', () => {
  const canary = `"'><script>alert(1)</script>&amp;`;
  const operation = defineOperation({
    summary: canary,
    input: z.object({
      [canary]: z.string().describe(canary).default(canary),
      pattern: z.string().regex(/<script>/),
      choice: z.enum([canary, 'b']),
      only: z.literal(canary),
    }),
    output: z.object({}),
    run: () => ({}),
  });
  const document = describeTable({ operation });
  document.info = { title: canary, version: canary };
  document.servers = [{ url: canary }];

  const page = renderReference(document);

  expect(page).not.toContain('<script');
  expect(page).not.toContain(`"'>`);
  expect(page.split('alert(1)&lt;/script&gt;&amp;amp;').length).toBeGreaterThan(8);
});

test('a plug-in without operations has a page that says so', () => {
  expect(readText(renderReference(describeTable({})))).toContain('This plug-in has no operations.');
});

test('the server has the page beside the document, and its policy allows the style sheet only', async () => {
  await using served = await startWorld();
  const response = await fetch(`${served.url}/openapi.html`);
  const page = await response.text();

  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');

  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(page).toContain('POST /api/createNotification');
  expect(page).not.toMatch(/<script|<link|<img|style=|https?:\/\/(?!127\.0\.0\.1)/);
});
