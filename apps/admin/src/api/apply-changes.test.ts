import { liveChangesSchema } from '@dowel/schema';
import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { countFleet } from '../testing/fake-list.ts';
import { brokenFixture, installationFixture, serverNow } from '../testing/fixtures.ts';
import { createApiClient } from './api-client.ts';
import { applyChanges, dropUnlistedRows } from './apply-changes.ts';
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
