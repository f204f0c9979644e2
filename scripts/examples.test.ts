import { expect, test } from 'vitest';
import { readCatalog } from './read-catalog.ts';
import { listFiles, read } from './read-docs.ts';
import { readExamples, standsIn } from './read-examples.ts';

const examples = await readExamples();
const testFiles = (await listFiles('*.test.ts', '*.test.tsx', '*.spec.ts')).filter(
  (file) => !file.startsWith('scripts/'),
);
/** Tests run these as processes. */
const programs = await listFiles('examples/*/server.ts');
const tests = await Promise.all([...testFiles, ...programs].map(read));

test('READMEs and doc comments have examples', () => {
  expect(examples.length).toBeGreaterThan(30);
});

for (const { place, code } of examples) {
  test(`the example in ${place} stands in a test`, () => {
    expect(code).not.toBe('');
    expect(tests.some((source) => standsIn(source, code)) ? '' : code).toBe('');
  });
}

const plugIns = await listFiles(
  'examples/*/package.json',
  'packages/create-dowel/template-*/package.json',
);
const versionOf = await readCatalog();

/** The version of one of our packages, or of the catalog. */
async function testedVersion(name: string): Promise<string | undefined> {
  if (!name.startsWith('@dowel/')) return versionOf(name);
  const { version } = JSON.parse(await read(`packages/${name.slice(7)}/package.json`));
  return version;
}

test('four examples and two templates are whole plug-ins', () => {
  expect(plugIns).toHaveLength(6);
});

test.each(plugIns)('%s allows the versions that are tested here, and newer ones', async (file) => {
  const { dependencies, devDependencies } = JSON.parse(await read(file));
  const ranges: Record<string, string> = { ...dependencies, ...devDependencies };
  const tested: Record<string, string> = {};
  for (const name of Object.keys(ranges)) tested[name] = `^${await testedVersion(name)}`;

  expect(ranges).toEqual(tested);
});

/** The tests of the mounts stay in the repository, and so does what they use. */
const helpers = (await listFiles('examples/**/*.ts')).filter(
  (file) => !file.includes('.test.') && !file.startsWith('examples/node/mounts/'),
);

test.each(helpers)('%s needs nothing that is only in the repository', async (file) => {
  expect(await read(file)).not.toMatch(/'@dowel\/[a-z-]+\/testing'/);
});
