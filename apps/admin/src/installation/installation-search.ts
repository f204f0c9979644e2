/** The history that the address selects. */
export interface InstallationSearch {
  /** Absent: the lifecycle events. */
  tab?: 'refreshes' | undefined;
}

export function parseInstallationSearch(raw: Record<string, unknown>): InstallationSearch {
  return raw.tab === 'refreshes' ? { tab: 'refreshes' } : {};
}
