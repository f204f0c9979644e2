/** What the pages read and keep: one query per control resource. */
import { queryOptions } from '@tanstack/react-query';
import {
  loadLab,
  loadNotifications,
  loadPlugins,
  loadSession,
  loadTenants,
} from './control-client.ts';

export const tenantsQuery = queryOptions({ queryKey: ['tenants'], queryFn: loadTenants });

/** Data is null when nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: loadSession,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Live token counts change with the clock alone, so this one is also polled. */
export const pluginsQuery = queryOptions({
  queryKey: ['plugins'],
  queryFn: loadPlugins,
  refetchInterval: 15_000,
});

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: loadNotifications,
});

export const labQuery = queryOptions({ queryKey: ['lab'], queryFn: loadLab });
