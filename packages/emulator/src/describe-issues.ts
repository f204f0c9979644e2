import { describeIssue } from '@dowel/schema';
import type { z } from 'zod';

/**
 * The first issues of a failed parse as one line that names the fields, never the values.
 *
 * @param error from a parser that uses `plainWords`.
 */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.slice(0, 5).map(describeIssue).join('; ');
}
