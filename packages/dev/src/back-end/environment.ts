import { join } from 'node:path';
import { readEnvironment } from '@dowel/settings';

export interface BackEndAddresses {
  /** Where it must listen. */
  port: number;
  /** Its public URL. */
  url: string;
  platformUrl: string;
  /** The folder of its database and keys. */
  dataPath: string;
  /** Whether Vite serves the page. Default `false`. */
  hasVite?: boolean;
}

/**
 * Returns the environment of the author's back end: these variables, then those of this process, then `.env` of the folder.
 *
 * @throws SyntaxError for a broken `.env`
 */
export function readBackEndEnvironment(
  root: string,
  { port, url, platformUrl, dataPath, hasVite = false }: BackEndAddresses,
): NodeJS.ProcessEnv {
  return readEnvironment(join(root, '.env'), {
    ...process.env,
    PORT: String(port),
    DOWEL_PORT: String(port),
    DOWEL_PUBLIC_URL: url,
    DOWEL_TRUST: `${platformUrl}=${platformUrl}/certificates/`,
    DOWEL_DATA_DIR: dataPath,
    DOWEL_DRAIN_MS: '0',
    DOWEL_STOP_GRACE_MS: '1000',
    NODE_ENV: 'development',
    ...(hasVite && { DOWEL_FRONTEND: 'elsewhere' }),
  });
}
