import { type Adapter, createAdapter, nonceFrom } from '@dowel/adapter';
import { ApiError } from './api-error.ts';
import { getJson } from './back-end.ts';
import { parseSettings, type Settings } from './settings.ts';

export type View = 'main' | 'config';

/**
 * Reads the trusted key origins from the back end, so that they are configured once.
 *
 * @throws ApiError
 */
export async function loadAdapter(view: View): Promise<Adapter<Settings>> {
  const config = await getJson(`${import.meta.env.BASE_URL}config.json`);
  return createAdapter({
    view,
    jkuOrigins: readKeyOrigins(config),
    parseConfig: parseSettings,
    // The settings need no session.
    nonce: view === 'main' ? nonceFrom() : undefined,
  });
}

function readKeyOrigins(config: unknown): string[] {
  const { keyOrigins } = (config ?? {}) as { keyOrigins?: unknown };
  const isList = Array.isArray(keyOrigins) && keyOrigins.every((each) => typeof each === 'string');
  if (isList) return keyOrigins;
  throw new ApiError('ANSWER_INVALID', { message: 'No plug-in configuration', status: 200 });
}
