import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryPoint, manifest } from '../testing/samples.ts';
import { parseManifest } from './parse-manifest.ts';

const url = 'https://plugin.example/app/manifest.json';
/** `npm run test:all` tries four times as many. */
const numRuns = process.env.DOWEL_TESTS === 'all' ? 2000 : 500;

function expectSettled(text: string): void {
  const result = parseManifest(text, url);
  const lines = text.split(/\r\n|\n|\r/);
  const reported = [...(result.ok ? [] : result.problems), ...result.warnings];
  if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
  for (const { line, column, message, fix } of reported) {
    expect(lines[line - 1]?.length).toBeGreaterThanOrEqual(column - 1);
    expect(message && fix).toBeTruthy();
  }
}

describe('parseManifest, for any text', () => {
  test('returns, with places inside the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), expectSettled), {
      numRuns,
    });
  });

  test('returns for any JSON, also in place of each field', () => {
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(manifest)), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fields.map((each) => JSON.stringify({ ...manifest, ...each })),
        ),
        expectSettled,
      ),
      { numRuns },
    );
  });

  test('returns for a manifest that was cut or changed anywhere', () => {
    const text = JSON.stringify(manifest, null, 2);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(5), fc.string({ maxLength: 3 }), (at, cut, put) =>
        expectSettled(text.slice(0, at) + put + text.slice(at + cut)),
      ),
      { numRuns },
    );
  });

  test.each([
    ['brackets', '['.repeat(256 * 1024)],
    ['objects', '{"a":'.repeat(50_000)],
    ['unknown names', `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":1`).join()}}`],
    ['a long name over many', `{"${'x'.repeat(100_000)}":[${'1,'.repeat(70_000)}1]}`],
    ['wrong entries', `{"entryPoints":[${'1,'.repeat(120_000)}1]}`],
    ['escapes', `"${'\\u0041'.repeat(43_000)}"`],
    ['an open string', `"${'\\\\'.repeat(130_000)}`],
    ['comments', '/**/'.repeat(65_000)],
    ['line breaks', '\n'.repeat(262_000)],
    [
      'a label of one letter',
      JSON.stringify({
        ...manifest,
        config: [{ key: 'a', type: 'text', label: { en: 'p'.repeat(250_000) } }],
      }),
    ],
    [
      'a pattern',
      JSON.stringify({
        ...manifest,
        config: [{ key: 'a', type: 'text', label: {}, pattern: '('.repeat(250_000) }],
      }),
    ],
  ])('returns for 256 KiB of %s', (_what, text) => {
    // Quadratic time would take minutes, far more than a test may.
    expect(parseManifest(text, url).ok).toBeTypeOf('boolean');
  });
});

describe('positions', () => {
  const names = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });

  test('of an unknown field are those of its name', () => {
    fc.assert(
      fc.property(names, fc.nat(2), fc.constantFrom('\n', '\r\n'), (keys, indent, lineBreak) => {
        const extra = Object.fromEntries(keys.map((key) => [`x-${key}`, [key]]));
        const value = { ...manifest, entryPoints: [{ ...extra, ...entryPoint }] };
        const text = JSON.stringify(value, null, indent).replaceAll('\n', lineBreak);

        const { warnings } = parseManifest(text, url);

        const lines = text.split(lineBreak);
        expect(warnings).toHaveLength(Object.keys(extra).length);
        for (const { line, column, pointer } of warnings) {
          const key = decode(pointer.split('/').at(-1) ?? '');
          expect(lines[line - 1]?.slice(column - 1)).toSatisfy((rest: string) =>
            rest.startsWith(JSON.stringify(key)),
          );
        }
      }),
    );
  });

  test('of a wrong value are those of the value', () => {
    const places = fc.constantFrom(
      ['pluginVersion'],
      ['lifecycle', 'url'],
      ['entryPoints', '0', 'height'],
    );
    fc.assert(
      fc.property(places, fc.nat(2), (path, indent) => {
        const value = structuredClone({ ...manifest, entryPoints: [{ ...entryPoint, height: 1 }] });
        put(value, path, [12345]);
        const text = JSON.stringify(value, null, indent);

        const result = parseManifest(text, url);

        const problem = result.ok ? undefined : result.problems[0];
        const rest = text
          .split('\n')
          .slice((problem?.line ?? 0) - 1)
          .join('\n');
        expect(problem?.pointer).toBe(`/${path.join('/')}`);
        expect(rest.slice((problem?.column ?? 0) - 1)).toMatch(/^\[\s*12345/);
      }),
    );
  });
});

function decode(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function put(value: object, path: readonly string[], replacement: unknown): void {
  const parent = path.slice(0, -1).reduce((each, name) => Reflect.get(each, name), value);
  Reflect.set(parent, path.at(-1) ?? '', replacement);
}
