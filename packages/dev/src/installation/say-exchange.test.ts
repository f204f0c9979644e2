import { createPlatform, seedTenants } from '@dowel/emulator';
import { expect, test } from 'vitest';
import { collectLines } from '../testing/collect-lines.ts';
import { manifestWith } from '../testing/fake-plugin.ts';
import { sayExchange } from './say-exchange.ts';

test('an event is a line with its answer, also one that was refused', async () => {
  const lines = collectLines();
  const answers = [new Response(manifestWith(1)), Response.json({ code: 'ERR2' }, { status: 402 })];
  const platform = createPlatform({
    origin: 'http://localhost:4300',
    keyBits: 2048,
    fetch: async () => answers.shift() ?? Response.json({}, { status: 201 }),
    onExchange: (exchange) => sayExchange(lines.say, exchange),
  });
  const [tenant] = seedTenants();

  const installing = platform.install({
    tenantId: tenant?.tenantId ?? '',
    manifestUrl: 'http://localhost:4310/manifest.json',
  });

  await expect(installing).rejects.toThrow();
  platform.close();
  expect(lines.all).toMatchObject([
    {
      from: 'event',
      level: 'error',
      text: expect.stringMatching(/^install → 402 ./),
      ms: expect.any(Number),
    },
    { from: 'event', level: 'info', text: 'uninstall → 201' },
  ]);
});
