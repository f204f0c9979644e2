/** While the platform has a fault of renewals, the calls of a back end of Dowel arrive, and nobody helps. */
import type { FaultName, FaultOptions } from '@dowel/emulator';
import { expect, test } from 'vitest';
import { startDowel } from './worlds.ts';

const rows: [FaultName, FaultOptions<FaultName>][] = [
  ['token.lostAnswer', { on: 'refresh' }],
  ['token.slow', { on: 'refresh', ms: 50 }],
  ['token.unavailable', { on: 'refresh' }],
  ['token.limited', { on: 'refresh' }],
  ['token.refused', { on: 'refresh' }],
  ['token.notJson', { on: 'refresh' }],
  ['token.cutOff', { on: 'refresh' }],
  ['token.answer', { on: 'refresh', unset: ['refresh_token', 'expires_in'] }],
  ['api.unauthorized', { hold: 5 }],
];

test.each(rows)('five calls survive %s %j, with one trigger at most', async (name, options) => {
  const { server, useWidget } = await startDowel();
  await using _server = server;
  const { platform } = server;
  const page = await server.openPage();
  const call = () => useWidget({ ...page, path: '' });
  await call();
  platform.changeLab(page.tenantId, { advanceSeconds: 3_600 });
  const fault = platform.fault(name, options);

  const answers = await Promise.all(Array.from({ length: 5 }, call));

  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(fault.hits).toBeGreaterThan(0);
  const recipientId = platform.tenants[0]?.users[1]?.userId ?? '';
  expect(platform.notifications(recipientId)).toHaveLength(6);
  expect(platform.exchanges({ kind: 'trigger' }).length).toBeLessThanOrEqual(1);
});
