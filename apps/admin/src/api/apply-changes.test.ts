import { liveChangesSchema } from '@dowel/admin-api';
import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { countFleet } from '../testing/fake-list.ts';
import { brokenFixture, installationFixture, serverNow } from '../testing/fixtures.ts';
import { createApiClient } from './api-client.ts';
import { applyChanges, createRowReloader, dropUnlistedRows } from './apply-changes.ts';
import { FleetRows } from './fleet-rows.ts';
import { fleetQuery, listKey } from './queries.ts';

it.each([
  ['older than what the stream sent meanwhile: what it sent is shown', serverNow - 1, 1],
  ['newer than what the stream sent meanwhile: the answer is shown', serverNow + 1, 0],
])('an answer with the counts is %s', async (_, answeredAt, working) => {
  const targets = { queryClient: new QueryClient(), rows: new FleetRows() };
  const api = createApiClient(async () => {
    const fleet = countFleet([installationFixture()], serverNow);
    applyChanges(targets, liveChangesSchema.parse({ now: serverNow, fleet }));
    return Response.json(countFleet([], answeredAt));
  });

  const counts = await targets.queryClient.fetchQuery(fleetQuery(api));

  expect(counts.groups.working).toBe(working);
});

it('plug-in ids that a message leaves out are those of the message before', async () => {
  const targets = { queryClient: new QueryClient(), rows: new FleetRows() };
  const { pluginIds, ...counts } = countFleet([installationFixture()], serverNow);
  const api = createApiClient(async () => {
    for (const fleet of [{ ...counts, pluginIds }, counts]) {
      applyChanges(targets, liveChangesSchema.parse({ now: serverNow, fleet }));
    }
    return Response.json(countFleet([], serverNow - 1));
  });

  const shown = await targets.queryClient.fetchQuery(fleetQuery(api));

  expect(pluginIds).toHaveLength(1);
  expect(shown.pluginIds).toEqual(pluginIds);
});

it('the rows of a list are dropped when the list is removed from the cache, those of others stay', async () => {
  const queryClient = new QueryClient();
  const rows = new FleetRows();
  dropUnlistedRows({ queryClient, rows });
  const first = installationFixture();
  const second = brokenFixture();
  await rows.load(async () => ({ installations: [first, second] }));
  queryClient.setQueryData([...listKey, 'a'], { pages: [{ ids: [first.id, second.id] }] });
  queryClient.setQueryData([...listKey, 'longest'], { ids: [second.id] });

  queryClient.removeQueries({ queryKey: [...listKey, 'a'] });

  expect(rows.get(first.id)).toBeUndefined();
  expect(rows.get(second.id)).toBeDefined();
});

describe('rows in view that may have changed', () => {
  const installations = Array.from({ length: 70 }, (_, index) =>
    installationFixture({ id: `id-${index}` }),
  );

  /** All rows are in view and unsure. `failures`: so many requests fail first. */
  async function setUp(failures = 0) {
    const rows = new FleetRows();
    await rows.load(async () => ({ installations }));
    for (const { id } of installations) rows.watch(id, () => {});
    rows.doubt();
    const requests: number[] = [];
    const api = createApiClient(async (input) => {
      const ids = new URL(String(input), 'http://localhost').searchParams.get('ids')?.split(',');
      requests.push(ids?.length ?? 0);
      if (requests.length <= failures) return new Response(null, { status: 503 });
      const found = installations.filter(({ id }) => ids?.includes(id));
      return Response.json({ now: serverNow, installations: found });
    });
    const reloader = createRowReloader({ api, rows });
    onTestFinished(reloader.stop);
    return { rows, requests, reloader };
  }

  it('are all fetched, also more than fit into one request', async () => {
    const { rows, requests, reloader } = await setUp();

    await reloader.reload();

    expect(requests).toEqual([60, 10]);
    expect(rows.unsureInView()).toEqual([]);
  });

  it('are fetched again after failures, each time later, and no more once nobody looks', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { requests, reloader } = await setUp(9);
    await reloader.reload();

    await vi.advanceTimersByTimeAsync(2_000);
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(3_999);
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(requests).toHaveLength(3);
    reloader.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests).toHaveLength(3);
  });
});
