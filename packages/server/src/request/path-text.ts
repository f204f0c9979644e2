import { plainText } from '@dowel/admin-api';
import { ApiError } from '../base/errors.ts';

const schema = plainText(100).min(1);

/**
 * Reads an id or a name in a path. The audit keeps it, even if nothing has that name.
 *
 * @throws ApiError `NOT_FOUND` if nothing can have it
 */
export function pathText(given: string | undefined): string {
  const { data } = schema.safeParse(given);
  if (data === undefined) throw new ApiError('NOT_FOUND', 'Nothing has this name');
  return data;
}
