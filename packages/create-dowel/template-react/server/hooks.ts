/** What the poll does when the platform has installed or uninstalled it. */
import type { Hooks } from '@dowel/server';
import { deleteVotes } from './store.ts';

export const hooks: Hooks = {
  /** It may come late, after the tenant has installed again. Each install has another `lifeId`, so new votes stay. */
  uninstalled: ({ installation }) => deleteVotes(installation.lifeId),
};
