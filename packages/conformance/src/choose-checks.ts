/** The checks of a run, by the ids that a person has written. */
import { findMeant } from '@dowel/schema';
import type { Check } from './check.ts';
import { checks } from './checks/all-checks.ts';
import { DoctorError } from './doctor-error.ts';

const ids = checks.map(({ id }) => id);

/**
 * All checks, or those of `only`, in the order of reports.
 *
 * @throws DoctorError `OPTION_INVALID`
 */
export function chooseChecks(only: readonly string[] | undefined): readonly Check[] {
  if (!only) return checks;
  for (const id of only) requireId(id);
  return checks.filter(({ id }) => only.includes(id));
}

/** @throws DoctorError `OPTION_INVALID`, with the id that was probably meant */
export function requireId(id: string): void {
  if (ids.includes(id)) return;
  const meant = findMeant(id, ids);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new DoctorError('OPTION_INVALID', `There is no check "${id}".${question}`);
}
