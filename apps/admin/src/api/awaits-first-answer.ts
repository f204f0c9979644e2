import type { UseQueryResult } from '@tanstack/react-query';

/** Whether the first answer may still come; false from the first failure on, so that a page need not wait for a part. */
export function awaitsFirstAnswer({
  isFetched,
  failureCount,
}: Pick<UseQueryResult, 'isFetched' | 'failureCount'>): boolean {
  return !isFetched && failureCount === 0;
}
