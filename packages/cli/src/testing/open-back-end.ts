import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, type ServerOptions } from '@dowel/server';

const manifest = fileURLToPath(new URL('../../../../manifest.json', import.meta.url));

/** Opens and closes a back end with this data folder, so that its settings are recorded. */
export async function openBackEnd(
  folder: string,
  { environment = {}, ...options }: ServerOptions = {},
): Promise<void> {
  await using server = createServer({
    manifest,
    keyFile: { path: join(folder, 'encryption.key') },
    environment: { DOWEL_DATA_DIR: folder, DOWEL_LOG_LEVEL: 'silent', ...environment },
    ...options,
  });
  await server.open();
}
