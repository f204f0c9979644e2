import { readFile } from 'node:fs/promises';
import { createFakeHost } from '@dowel/testing';
import { expect, test } from 'vitest';
import { createAdapter } from './create-adapter.ts';
import { trustIssuers } from './trust-issuers.ts';

test('the example of createFakeHost runs', async () => {
  using host = await createFakeHost({ view: 'config', user: { userLanguage: 'de' } });
  const { srcId, view, issuers } = host;
  const adapter = createAdapter({ srcId, view, issuers: trustIssuers(issuers) });
  adapter.onSave(() => ({ colour: 'red' }));

  const { claims } = await adapter.init();
  adapter.setHeight(240);

  expect(claims.ctx.userLanguage).toBe('de');
  expect(host.heights).toEqual([240]);
  expect(await host.save()).toEqual({ colour: 'red' });
});

test('the example of createFakeHost is the one above', async () => {
  const { dirname, filename } = import.meta;
  const source = await readFile(`${dirname}/../../testing/src/create-fake-host.ts`, 'utf8');
  const [, example] = /@example\n(.*?) \*\//s.exec(source) ?? [];
  const indented = example?.replaceAll(/^ \* ?(?=.)/gm, '  ').replaceAll(/^ *\*? *$/gm, '');
  expect(indented).toContain('createFakeHost');
  expect(await readFile(filename, 'utf8')).toContain(indented);
});
