import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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
