/** The settings for database and key, shared by the back end and the command line. */
import { resolve } from 'node:path';
import type { StoreSetting } from '@dowel/settings';
import type { EngineLocation } from './open-engine.ts';
import type { KeyFile } from './sealing/keyring-file.ts';

export interface StoreSettings {
  database: EngineLocation;
  keyFile: KeyFile;
}

/**
 * Reads DOWEL_DATA_DIR, DOWEL_KEY_FILE, DOWEL_DATABASE_URL, DOWEL_POSTGRES_CONNECTIONS and NODE_ENV. An empty variable counts as not set.
 *
 * @throws SyntaxError with one line that says how to fix it, without the value.
 */
export function readStoreSettings(
  environment: Partial<Record<StoreSetting | 'NODE_ENV', string | undefined>>,
): StoreSettings {
  const dataDir = resolve(environment.DOWEL_DATA_DIR || '.data');
  const url = environment.DOWEL_DATABASE_URL;
  return {
    database: url
      ? { url: parseDatabaseUrl(url), ...readConnections(environment.DOWEL_POSTGRES_CONNECTIONS) }
      : { path: resolve(dataDir, 'dowel.sqlite') },
    keyFile: {
      path: resolve(environment.DOWEL_KEY_FILE || resolve(dataDir, 'encryption.key')),
      production: environment.NODE_ENV === 'production',
    },
  };
}

function parseDatabaseUrl(text: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new SyntaxError(
      'DOWEL_DATABASE_URL must be a PostgreSQL URL, such as postgresql://dowel@db.example.com:5432/dowel, with special characters of the password percent-encoded',
    );
  }
  return text;
}

function readConnections(text: string | undefined): { connections?: number } {
  if (!text) return {};
  const connections = Number(text);
  if (!/^\d{1,3}$/.test(text) || connections < 2 || connections > 500) {
    throw new SyntaxError('DOWEL_POSTGRES_CONNECTIONS must be a number from 2 to 500');
  }
  return { connections };
}
