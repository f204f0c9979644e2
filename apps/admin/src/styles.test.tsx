import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const mantine = dirname(require.resolve('@mantine/core/styles/Input.css'));
const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');

/** The names that the pages import from `@mantine/core`. */
function readUsedComponents(): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const imports = files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => [...read(file).matchAll(/import \{([^}]+)\} from '@mantine\/core'/g)]);
  return [...new Set(imports.flatMap(([, names = '']) => names.match(/\b[A-Z]\w+/g) ?? []))];
}

it('each component of Mantine that is used has its styles', () => {
  const styles = read('styles.ts');
  const used = readUsedComponents().filter((name) => existsSync(join(mantine, `${name}.css`)));

  expect(used).toContain('PasswordInput');
  expect(used.filter((name) => !styles.includes(`/${name}.css'`))).toEqual([]);
});

it('all styles are one file that the first page loads: a page that is loaded late or again has its own', async () => {
  const root = join(import.meta.dirname, '..');

  const built = await build({ root, logLevel: 'silent', build: { write: false } });

  const { output } = built as Rolldown.RolldownOutput;
  const styles = output.filter(({ fileName }) => fileName.endsWith('.css'));
  const page = output.find(({ fileName }) => fileName === 'index.html');
  expect(styles).toHaveLength(1);
  expect(page && 'source' in page ? page.source : '').toContain(styles[0]?.fileName);
});
