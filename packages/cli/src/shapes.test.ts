import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

test('the shapes are printed by kind, and their absence is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  const store = await openNewStore(folder);
  const server = await startBackEnd(folder);
  const at = { firstAt: Date.UTC(2026, 10, 27), lastAt: Date.UTC(2026, 10, 28) };
  const shape = 'iss: https URL; tenantId: UUID';

  const before = await callCommand({ args: ['shapes'], folder });
  await store.transaction(({ shapes }) =>
    shapes.add([{ kind: 'event install', shape, count: 2, ...at }]),
  );
  const after = await callCommand({ args: ['shapes'], folder });

  expect(before).toMatchObject({ code: 0, out: expect.stringMatching(/^Dowel has seen nothing/) });
  expect(after).toMatchObject({ code: 0, err: '' });
  expect(after.out).toContain(
    '\nevent install, 2×, 2026-11-27 to 2026-11-28\n  iss: https URL\n  tenantId: UUID\n',
  );
  await server.close();
  await store.close();
  await rm(folder, { recursive: true });
});
