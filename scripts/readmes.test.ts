import { describe, expect, test } from 'vitest';
import { listFiles, listManifests, read } from './read-docs.ts';
import { listProduct } from './read-imports.ts';

const manifests = await listManifests('packages', 'apps');

/** The packages and apps. Each has one README. */
const workspaces = await Promise.all(
  manifests.map(async (manifest) => {
    const folder = manifest.replace('/package.json', '');
    const { name } = JSON.parse(await read(manifest)) as { name: string };
    return { folder, name };
  }),
);

/** The names of the members of all exported interfaces that end in Options or Policy. */
function readOptionNames(source: string): string[] {
  const pattern = /^export interface \w+(?:Options|Policy)\b[^{]*\{\n(.*?)^\}/gms;
  return [...source.matchAll(pattern)].flatMap(([, members = '']) =>
    [...members.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, name = '']) => name),
  );
}

/** The words of all exported types that end in ErrorCode. */
function readErrorCodes(source: string): string[] {
  const types = source.matchAll(/^export type \w+ErrorCode =(.*?);$/gms);
  return [...types].flatMap(([, type = '']) =>
    [...type.matchAll(/'([A-Z][A-Z_\d]+)'/g)].map(([, code = '']) => code),
  );
}

/** The sources whose exports the package's entry passes on. */
async function readPublicSources(folder: string): Promise<string[]> {
  const entries = await listFiles(`${folder}/src/index.ts`, `${folder}/src/react/index.ts`);
  const indexes = await Promise.all(entries.map(read));
  const paths = indexes.flatMap((index) =>
    [...index.matchAll(/from '\.\/([^']+)'/g)].map(([, path = '']) => `${folder}/src/${path}`),
  );
  return Promise.all((await listFiles(...paths, `${folder}/package.json`)).map(read));
}

for (const { folder, name } of workspaces) {
  describe(`${folder}/README.md`, async () => {
    const readme = await read(`${folder}/README.md`);
    const sources = await readPublicSources(folder);

    test('says what it is, how to install and use it, its options and its errors', () => {
      const headings = [...readme.matchAll(/^##? (.+)$/gm)].map(([, heading = '']) => heading);

      expect(headings.slice(0, 5)).toEqual([name, 'Install', 'Use', 'Options', 'Errors']);
      expect(readme).toMatch(/^# .+\n\n\w/);
      expect(readme).toContain('](../../docs/specification.md');
    });

    test('explains each option of its entry point', () => {
      const names = sources.flatMap(readOptionNames);

      expect(names.filter((each) => !readme.includes(`\`${each}\``))).toEqual([]);
    });

    test('explains each code of its errors', () => {
      const codes = sources.flatMap(readErrorCodes);

      expect(codes.filter((code) => !readme.includes(`\`${code}\``))).toEqual([]);
    });
  });
}

test('no message of an installed package names a file of this repository', async () => {
  const comment = /^\s*(?:\/?\*|\/\/).*$/gm;
  const place =
    /\.env\.example|\.md\b|\b(?:docs|packages|apps|examples|scripts)\/|\bnpm (?:run|start)\b/;
  const sources = listProduct('packages').filter((file) => /\/src\//.test(file));
  const texts = await Promise.all(sources.map(read));
  const lines = texts.flatMap((text, index) =>
    text
      .replaceAll(comment, '')
      .split('\n')
      .filter((line) => place.test(line) && !/^(?:import|export)\b.* from '/.test(line))
      .map((line) => `${sources[index]}: ${line.trim()}`),
  );

  expect(sources.length).toBeGreaterThan(300);
  expect(lines).toEqual([]);
});

test('what a function gets and a README takes apart has no methods, which linters want bound', async () => {
  const files = [
    'packages/server/src/operations/operation.ts',
    'packages/server/src/hooks/hooks.ts',
    'packages/server/src/http/own-routes.ts',
    'packages/server/src/platform/call-platform.ts',
    'packages/server/src/platform/notify.ts',
    'packages/adapter/src/client/client-types.ts',
  ];
  const texts = await Promise.all(files.map(read));
  const types = texts
    .flatMap((text) => text.split(/^(?=export )/m))
    .map((text) => ({
      name: /^export (?:interface|type) (\w+)/.exec(text)?.[1] ?? '',
      body: text.slice(0, text.search(/^}/m)),
    }))
    .filter(({ name }) => name !== '' && !name.endsWith('Options'));
  const methods = types.flatMap(({ name, body }) =>
    [...body.matchAll(/^ +(\w+)\??(?:<.*>)?\(.*(?:;|\()$/gm)].map(([, each]) => `${name}.${each}`),
  );

  expect(types.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'OperationContext',
      'BeforeInstallContext',
      'RouteContext',
      'Platform',
      'Notifier',
      'Call',
    ]),
  );
  expect(methods).toEqual([]);
});
