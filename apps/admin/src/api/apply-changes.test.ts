import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { brokenFixture, installationFixture } from '../testing/fixtures.ts';
import { dropUnlistedRows } from './apply-changes.ts';
import { FleetRows } from './fleet-rows.ts';
import { listKey } from './queries.ts';

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
