import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { target } from '../scripts/target.ts';

test.each(['packages/adapter/README.md', 'README.md'])(
  'the adapter is built for the browsers that %s names',
  async (path) => {
    const readme = await readFile(join(import.meta.dirname, '../../..', path), 'utf8');
    const named = /Chrome and Edge ([\d.]+), Firefox ([\d.]+), Safari ([\d.]+)/.exec(readme) ?? [];
    const [, chrome, firefox, safari] = named;
    expect([`chrome${chrome}`, `edge${chrome}`, `firefox${firefox}`, `safari${safari}`]).toEqual(
      target,
    );
  },
);
