import { plainText } from '@dowel/schema';
import { ApiError } from '../errors.ts';

const schema = plainText(100).min(1);

/**
 * An id or a name in a path. What it names may not exist, but the audit keeps it.
 *
 * @throws ApiError `NOT_FOUND` if nothing can have it
 */
export function pathText(given: string | undefined): string {
  const { data } = schema.safeParse(given);
  if (data === undefined) throw new ApiError('NOT_FOUND', 'Nothing has this name');
  return data;
}
