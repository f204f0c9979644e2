/** The lists of proof/controls name code by its text: an entry whose text has changed guards nothing. */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Control } from '../proof/controls/control.ts';

const root = new URL('../', import.meta.url);
const folder = new URL('../proof/controls/lists/', import.meta.url);
const lists = await readdir(folder);

async function countFits({ file, find }: Control): Promise<number> {
  const source = await readFile(new URL(file, root), 'utf8').catch(() => '');
  return source.split(find).length - 1;
}

describe('every control stands exactly once in its file', () => {
  test.each(lists)('%s', async (list) => {
    const { controls } = (await import(new URL(list, folder).href)) as { controls: Control[] };

    const unfit = [];
    for (const control of controls) {
      if ((await countFits(control)) !== 1) unfit.push(`${control.file}: ${control.find}`);
    }

    expect(controls.length).toBeGreaterThan(0);
    expect(unfit).toEqual([]);
  });
});
