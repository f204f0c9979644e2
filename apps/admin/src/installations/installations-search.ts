/** The list's search text and filter in the address. */
const installationFilters = ['all', 'active', 'attention', 'uninstalled'] as const;

export type InstallationFilter = (typeof installationFilters)[number];

export interface InstallationsSearch {
  q?: string | undefined;
  /** Default: all. */
  filter?: Exclude<InstallationFilter, 'all'> | undefined;
}

export function parseInstallationsSearch(raw: Record<string, unknown>): InstallationsSearch {
  const search: InstallationsSearch = {};
  // The router reads `?q=42` as a number.
  if (typeof raw.q === 'string' || typeof raw.q === 'number') search.q = String(raw.q);
  const filter = installationFilters.find((known) => known === raw.filter);
  if (filter && filter !== 'all') search.filter = filter;
  return search;
}
