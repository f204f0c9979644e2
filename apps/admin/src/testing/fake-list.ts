/** The BFF's list of installations in memory: pages, filters, search and counts. */
import {
  countLimit,
  type InstallationCounts,
  type InstallationList,
  type InstallationStatus,
  type InstallationSummary,
  installationListQuerySchema,
  needsAttention,
} from '@dowel/schema';
import { serverNow } from './fixtures.ts';

const dayMs = 24 * 60 * 60 * 1000;

export function listInstallations(
  installations: InstallationSummary[],
  parameters: URLSearchParams,
  maxPageSize: number,
): InstallationList {
  const query = installationListQuerySchema.parse(Object.fromEntries(parameters));
  const { limit, after = '0', status, search = '' } = query;
  const found = installations.filter(
    (each) =>
      (status === undefined || status === each.status || isNeeding(status, each)) &&
      [each.tenantId, each.pluginId].concat(beginnings(each, search)).includes(search),
  );
  const end = Number(after) + Math.min(limit, maxPageSize);
  return {
    now: serverNow,
    pluginName: 'Lunch menu',
    installations: found.slice(Number(after), end),
    next: end < found.length ? String(end) : null,
    counts: count(installations),
  };
}

function isNeeding(status: string, installation: InstallationSummary): boolean {
  return status === 'attention' && needsAttention(installation);
}

function beginnings({ issuer }: InstallationSummary, { length }: string): string[] {
  return [issuer.slice(0, length), issuer.replace('https://', '').slice(0, length)];
}

function count(installations: InstallationSummary[]): InstallationCounts {
  const countThose = (belongs: (each: InstallationSummary) => boolean) =>
    Math.min(installations.filter(belongs).length, countLimit);
  const countOf = (wanted: InstallationStatus) => countThose(({ status }) => status === wanted);
  return {
    pending: countOf('pending'),
    active: countOf('active'),
    awaiting_event: countOf('awaiting_event'),
    uninstalled: countOf('uninstalled'),
    attention: countThose(needsAttention),
    recentlyFailed: countThose(({ lastError }) => (lastError?.at ?? 0) > serverNow - dayMs),
  };
}
