/** Meets the platform's page around this one, trusting the keys that the back end names. */
import { type Connection, connect } from '@dowel/adapter';
import type { PluginConfig } from '@dowel/schema';
import { ApiError } from './api-error.ts';
import { request } from './request.ts';

/** @throws PluginError, ApiError */
export async function connectToPlatform(signal?: AbortSignal): Promise<Connection> {
  const config = await request(`${import.meta.env.BASE_URL}config.json`, { signal });
  if (!isPluginConfig(config)) {
    throw new ApiError('ANSWER_INVALID', { message: 'No plug-in configuration', status: 200 });
  }
  return connect({ keyOrigins: config.keyOrigins, signal });
}

function isPluginConfig(value: unknown): value is PluginConfig {
  const { keyOrigins } = (value ?? {}) as { keyOrigins?: unknown };
  return Array.isArray(keyOrigins) && keyOrigins.every((origin) => typeof origin === 'string');
}
