import { type OperatedInstallation, tombstoneMs } from '@dowel/installation-store';

/** When the record of an uninstalled installation is purged; null while it is installed. */
export function purgedAt({
  endedAt,
  keptUntil,
}: Pick<OperatedInstallation, 'endedAt' | 'keptUntil'>): number | null {
  return endedAt === null ? null : Math.max(endedAt + tombstoneMs, keptUntil ?? 0);
}
