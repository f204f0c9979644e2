// @vitest-environment happy-dom

import { expect, test } from 'vitest';
import { createAdapter } from './create-adapter.ts';
import { createFakeHost } from './fake-host/index.ts';
import { trustIssuers } from './trust-issuers.ts';

test.each(['pinned', 'jku'] as const)(
  'a fake host works in happy-dom, key %s',
  async (keyDelivery) => {
    expect('happyDOM' in window).toBe(true);
    using host = await createFakeHost({ view: 'config', keyDelivery, config: { colour: 'blue' } });
    const { srcId, view, issuers, jkuOrigins } = host;
    const adapter = createAdapter({ srcId, view, issuers: trustIssuers(issuers), jkuOrigins });

    const { claims } = await adapter.init();
    adapter.setHeight(240);
    adapter.onSave(() => ({ colour: 'red' }));

    expect(claims).toMatchObject({ ctx: { userName: 'Robin Berg' }, cfg: { colour: 'blue' } });
    expect(host.heights).toEqual([240]);
    expect(await host.save()).toEqual({ colour: 'red' });
    adapter.destroy();
  },
);
