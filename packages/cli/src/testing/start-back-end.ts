import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, type Server, type ServerOptions } from '@dowel/server';

const manifest = fileURLToPath(new URL('../../../../manifest.json', import.meta.url));

/** Starts a back end with this data folder, on a free port, without a dashboard. */
export async function startBackEnd(
  folder: string,
  { environment = {}, ...options }: ServerOptions = {},
): Promise<Server> {
  const server = createServer({
    manifest,
    keyFile: { path: join(folder, 'encryption.key') },
    port: 0,
    environment: {
      DOWEL_DATA_DIR: folder,
      DOWEL_LOG_LEVEL: 'silent',
      DOWEL_DRAIN_MS: '0',
      ...environment,
    },
    ...options,
  });
  await server.start();
  return server;
}
