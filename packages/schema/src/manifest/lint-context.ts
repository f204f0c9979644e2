/** Names of `context` that are probably misspelt: their claims never arrive. */
import { findMeant } from '../find-nearest.ts';
import type { Manifest } from './manifest.ts';
import type { Finding, ManifestWarningCode } from './manifest-problem.ts';

/** A platform may have more. */
const knownNames = ['userName', 'userEmail', 'userLanguage'];

export function lintContext({ context = [] }: Partial<Manifest>): Finding<ManifestWarningCode>[] {
  return context.flatMap((name, index) => {
    const meant = knownNames.includes(name) ? undefined : findMeant(name, knownNames);
    if (!meant) return [];
    const message = 'This property of the user is not known.';
    const fix = `Did you mean "${meant}"?`;
    return [{ path: ['context', index], code: 'CONTEXT_MISSPELT', message, fix }];
  });
}
