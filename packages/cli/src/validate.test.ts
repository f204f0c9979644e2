/** `dowel validate`, as an author and as GitHub Actions run it. */
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHttpHost } from '@dowel/http/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { runCli } from './testing/run-cli.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sample = await readFile(join(root, 'manifest.json'), 'utf8');
const misspelt = sample.replace('"lifecycle": {', '"lifecyle": {');
const refused = sample.replace('"plugin:notify"', '"plugin:notfy"');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Returns the path of a file with this text. */
async function save(text: string | Uint8Array, name = 'manifest.json'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function validate(...args: string[]) {
  return callCommand({ args: ['validate', ...args], folder });
}

/** Line and column of a text in another one. */
function placeOf(part: string, text: string) {
  const before = text.slice(0, text.indexOf(part)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

describe('as a process', () => {
  const settings = { DOWEL_COLOUR: 'an unknown setting is not looked at' };

  test('the manifest of the working folder is checked', async () => {
    expect(await runCli(['validate'], settings, { cwd: root })).toEqual({
      code: 0,
      out: 'manifest.json is valid.\n',
      err: '',
    });
  });

  test('an error ends with 1, and a warning only with --strict', async () => {
    const [warned, wrong] = [
      await save(misspelt, 'warned.json'),
      await save(refused, 'wrong.json'),
    ];
    const codes = [];
    for (const args of [[warned], [warned, '--strict'], [wrong]]) {
      codes.push((await runCli(['validate', ...args], settings)).code);
    }

    expect(codes).toEqual([0, 1, 1]);
  });

  test('a file that is missing ends with 2, and nothing is printed as a result', async () => {
    const cwd = await mkdtemp(join(folder, 'empty-'));

    expect(await runCli(['validate'], settings, { cwd })).toEqual({
      code: 2,
      out: '',
      err: 'manifest.json cannot be read: it does not exist (ENOENT).\n',
    });
  });

  test('GitHub Actions gets an annotation for the file as the repository names it', async () => {
    await mkdir(join(folder, 'plugin'));
    await save(refused, 'plugin/manifest.json');
    const github = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder };

    const { code, out } = await runCli(['validate'], github, { cwd: join(folder, 'plugin') });

    const { line, column } = placeOf('"plugin:notfy"', refused);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      `::error file=plugin/manifest.json,line=${line},col=${column},title=/apiAccess/client/scope/0::The platform does not know this value. Did you mean "plugin:notify"?`,
      'manifest.json has 1 error.',
      '',
    ]);
  });
});

describe('every manifest of the repository', () => {
  const paths = globSync(
    [
      'manifest.json',
      'examples/*/manifest.json',
      'examples/node/*/manifest.json',
      'packages/create-dowel/*/manifest.json',
    ],
    {
      cwd: root,
    },
  );

  /** Its back end needs no events of widgets, which is a warning. */
  const lenient = 'examples/python/manifest.json';

  test.each(paths)('%s is valid', async (path) => {
    const strict = path === lenient ? [] : ['--strict'];

    expect(await validate(join(root, path), ...strict)).toMatchObject({ code: 0, err: '' });
  });

  test('is found', () => {
    expect(paths.length).toBeGreaterThan(6);
  });
});

describe('the text', () => {
  test('shows each finding with its lines, in their order', async () => {
    const text = [
      '{',
      '\t"manifestVersion": "2.5",',
      '\t"pluginVersion": "1.0.0",',
      '\t"colour": "red"',
      '}',
    ].join('\r\n');
    const path = await save(text);

    const { out } = await validate(path);

    const findings = out.split('\n\n').slice(3);
    expect(out).toContain(`${path}:1:1 error at /name: The field "name" is missing. Add it.`);
    expect(findings).toEqual([
      `${path}:2:21 error at /manifestVersion: This is not three numbers with dots. Expected: Version of the manifest's schema. For example "2.5.0".
  1 | {
> 2 |  "manifestVersion": "2.5",
    |                     ^
  3 |  "pluginVersion": "1.0.0",`,
      `${path}:4:2 warning at /colour: This field is not known. Check its spelling, or remove it.
  3 |  "pluginVersion": "1.0.0",
> 4 |  "colour": "red"
    |  ^
  5 | }`,
      `${path} has 4 errors and 1 warning.\n`,
    ]);
  });

  test('names line and column of broken JSON', async () => {
    const path = await save('{\n  "name": { "en": "Lunch" }\n  "pluginVersion": "1.0.0",\n}');

    const { code, out } = await validate(path);

    expect(code).toBe(1);
    expect(out).toContain(`${path}:2:28 error: A comma is missing between two entries.`);
    expect(out).toContain(`${path}:3:27 error: A comma stands before "}". Remove the comma.`);
  });

  test('is cut around the place in a manifest without line breaks', async () => {
    const { out } = await validate(await save(JSON.stringify(JSON.parse(misspelt))));

    const [, line = '', caret = ''] = out.split('\n');
    expect(line.length).toBeLessThan(110);
    expect(line.slice(caret.indexOf('^'))).toMatch(/^"lifecyle":/);
  });

  test('has no control characters of the manifest', async () => {
    const { out } = await validate(await save(sample.replace('{', '{ "\u202e\u001b[2J": 1,')));

    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

test('--format json prints each finding with the same members', async () => {
  const path = await save(misspelt);

  const { code, out } = await validate(path, '--format', 'json');

  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual([
    {
      path: '/lifecyle',
      ...placeOf('"lifecyle"', misspelt),
      code: 'FIELD_UNKNOWN',
      severity: 'warning',
      message: 'This field is not known.',
      hint: 'Did you mean "lifecycle"?',
    },
    expect.objectContaining({ code: 'API_ACCESS_WITHOUT_LIFECYCLE' }),
  ]);
  expect(await validate(await save(sample), '--format', 'json')).toMatchObject({ out: '[]\n' });
});

describe('--format github', () => {
  test('escapes what would end a property, a command or its line', async () => {
    const path = await save(sample.replace('{', '{ "50%,\\r\\n::error::": 1,'), 'a,b:c%d.json');

    const { out } = await validate(path, '--format', 'github');

    const [command = '', summary] = out.split('\n');
    expect(command).toMatch(
      /^::warning file=\S*a%2Cb%3Ac%25d\.json,line=1,col=3,title=\/50%25%2C%0D%0A%3A%3Aerror%3A%3A::This field/,
    );
    expect(summary).toBe(`${path} has 1 warning.`);
  });

  test('names the URL, and no file of the repository', async () => {
    await using host = await startHttpHost();
    const url = host.serve('/manifest.json', { ...JSON.parse(sample), colour: 'red' });

    const { out } = await validate(url, '--format', 'github');

    const title = `${url} /colour`.replaceAll(':', '%3A');
    expect(out).toContain(`::warning title=${title}::This field is not known.`);
  });
});

describe('--url', () => {
  const absolute = sample.replaceAll('"lifecycle/"', '"https://plugin.example.com/lifecycle/"');

  test('is where relative URLs begin, and another origin is a warning', async () => {
    const path = await save(absolute);
    const at = (url: string) => validate(path, '--strict', '--url', url);

    expect(await at('https://plugin.example.com')).toMatchObject({ code: 0 });
    expect((await at('https://other.example.com/base/')).out).toContain(
      "This leaves the manifest's origin https://other.example.com.",
    );
  });

  test('is needed for that: without it, no origin is another one', async () => {
    expect(await validate(await save(absolute), '--strict')).toMatchObject({ code: 0 });
  });
});

test.each([
  [['--format', 'xml'], '--format must be text | json | github.'],
  [['--url', 'plugin.example.com'], '--url must be the http(s) URL of the plug-in'],
  [['--url', 'https://ada:s3cret@plugin.example.com'], '--url must be'],
  [['a.json', 'b.json'], '"validate" takes [FILE|URL].'],
  [['--strict=yes'], "Option '--strict' does not take an argument"],
])('validate with %j is misuse', async (args, message) => {
  const { code, out, err } = await validate(...args);

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(err).not.toContain('s3cret');
});
