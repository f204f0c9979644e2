/** A check in words, for a terminal. */
import type { Check } from './check.ts';
import { checks } from './checks/all-checks.ts';
import { requireId } from './choose-checks.ts';

/**
 * What a check claims, why, how it is seen and how to correct a back end.
 *
 * @throws DoctorError `OPTION_INVALID` if there is no such check
 */
export function describeCheck(id: string): string {
  requireId(id);
  return checks
    .filter((check) => check.id === id)
    .map(describe)
    .join('');
}

function describe({ id, claim, reference, severity, needs, why, seen, fix }: Check): string {
  const flags = needs.map((need) =>
    need === 'apiAccess' ? 'apiAccess in the manifest' : `--${need}`,
  );
  return [
    id,
    `  ${claim}`,
    `  severity   ${severity} (${reference})`,
    `  needs      ${flags.join(', ') || 'nothing'}`,
    `  why        ${why}`,
    `  seen       ${seen}`,
    `  fix        ${fix}`,
  ].join('\n');
}
