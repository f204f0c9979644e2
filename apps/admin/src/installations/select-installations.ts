import { type InstallationSummary, needsAttention } from '@dowel/schema';
import type { InstallationFilter, InstallationsSearch } from './installations-search.ts';

const belongs: Readonly<Record<InstallationFilter, (each: InstallationSummary) => boolean>> = {
  all: () => true,
  active: ({ status }) => status === 'active',
  attention: needsAttention,
  uninstalled: ({ status }) => status === 'uninstalled',
};

/** Searches issuer, ids, scopes and the last error's word; every word must occur. */
export function selectInstallations(
  installations: InstallationSummary[],
  search: InstallationsSearch,
): InstallationSummary[] {
  const words = (search.q ?? '').toLowerCase().split(/\s+/);
  const isShown = belongs[search.filter ?? 'all'];
  return installations.filter((each) => {
    const text = searchableText(each);
    return isShown(each) && words.every((word) => text.includes(word));
  });
}

function searchableText(installation: InstallationSummary): string {
  const { id, issuer, tenantId, pluginId, grantedScopes, lastError } = installation;
  const texts = [id, issuer, tenantId, pluginId, ...grantedScopes, lastError?.reason ?? ''];
  return texts.join('\n').toLowerCase();
}
