import { createAdapter, trustIssuers } from '@dowel/adapter';
import { createFakeHost, createSigningKey, signJwt } from '@dowel/adapter/testing';
import { expect, test } from 'vitest';

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
  adapter.destroy();
});

test('the example of createSigningKey runs', async () => {
  const signingKey = await createSigningKey(); // once for all tests of a file
  using host = await createFakeHost({ signingKey });

  expect(host.issuers[0]?.keys).toEqual([signingKey.keyDocument]);
  const jwt = await signJwt(signingKey.privateKey, { sub: 'init' }, {});
  expect(jwt.split('.')).toHaveLength(3);
});
