/**
 * The lists of proof/controls name code by its text, and tests by their files: an entry whose text or test has moved
 * guards nothing.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Control } from '../proof/controls/control.ts';

const root = new URL('../', import.meta.url);
const folder = new URL('../proof/controls/lists/', import.meta.url);
const lists = await readdir(folder);

async function readControls(list: string): Promise<Control[]> {
  const { controls } = (await import(new URL(list, folder).href)) as { controls: Control[] };
  return controls;
}

async function countFits({ file, find }: Control): Promise<number> {
  const source = await readFile(new URL(file, root), 'utf8').catch(() => '');
  return source.split(find).length - 1;
}

describe('the text of every control occurs exactly once in its file', () => {
  test.each(lists)('%s', async (list) => {
    const controls = await readControls(list);

    const unfit = [];
    for (const control of controls) {
      if ((await countFits(control)) !== 1) unfit.push(`${control.file}: ${control.find}`);
    }

    expect(controls.length).toBeGreaterThan(0);
    expect(unfit).toEqual([]);
  });
});

test.each(lists)('every test that guards a control of %s is there', async (list) => {
  const tests = (await readControls(list)).flatMap((control) => control.tests);

  expect(tests.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});
