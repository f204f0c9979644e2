import type { z } from 'zod';

/** The first issues of a failed parse as one line that names the places, never the values. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
}
