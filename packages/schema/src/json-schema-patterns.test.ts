/** The patterns of the JSON Schemas are for readers in other languages, which lack parts of JavaScript's. */
import { spawnSync } from 'node:child_process';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { jsonSchemas } from './json-schemas.ts';
import { findPatterns } from './testing/find-patterns.ts';

const patterns = [
  ...new Set(
    Object.values(jsonSchemas())
      .flatMap(findPatterns)
      .map(({ pattern }) => pattern),
  ),
];

/** Each pattern matches some of them. */
const texts = [
  ['https://a.example', 'HTTP://a.example:1/x?y#z', 'https://u@a.example', 'https://a b'],
  ['https://', 'http:/x', 'events/', '/events', '/', '//a.example', '///', 'a:b', 'a/b:c', '?a:b'],
  ['mailto:x', 'a.b+c-d:', '1:2', '16:9', '0:1', '4:', 'ä/', 'a\\b'],
  ['', ' ', 'a', ' a', 'a ', 'a b'],
  ['a\u0000', '\u007f', 'a\u0085b', 'a\tb', 'ä ö', '😀', 'cfg.city', 'ctx.city', '__proto__'],
  ['bearer', 'Bearer', 'bearers', '1.0.0', '01.0.0', '1.0.0-a.1+b', '1.0', '1.0.0-'],
  ['6f1c4b1e-6f0b-4c39-9a3e-2f3a4ad0c0de', '6f1c4b1e6f0b4c399a3e2f3a4ad0c0de'],
].flat();

/** For each pattern, the texts that it matches. */
const matches = patterns.map((pattern) =>
  texts.filter((text) => new RegExp(pattern, 'u').test(text)),
);

test('each pattern matches some texts of the list, and refuses some', () => {
  for (const matched of matches) {
    expect(matched).not.toEqual([]);
    expect(matched).not.toEqual(texts);
  }
});

test('RE2 matches the same texts with each pattern', () => {
  const found = patterns.map((pattern) => {
    const compiled = RE2JS.compile(pattern);
    return texts.filter((text) => compiled.matcher(text).find());
  });

  expect(found).toEqual(matches);
});

const script = `
import json, re, sys
patterns, texts = json.load(sys.stdin)
json.dump([[t for t in texts if re.search(p, t)] for p in patterns], sys.stdout)
`;

test('Python matches the same texts with each pattern', (context) => {
  const input = JSON.stringify([patterns, texts]);
  const { error, status, stdout, stderr } = spawnSync('python3', ['-c', script], {
    input,
    encoding: 'utf8',
  });
  context.skip(error !== undefined, 'python3 is not installed');

  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual(matches);
});
