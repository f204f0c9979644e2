import { join } from 'node:path';
import { createServer } from '@dowel/server';
import { operations } from '../operations.ts';
import { root } from './start-process.ts';

/** Opens and closes the back end in this process. Rejects with the error that a start would print. */
export async function openInProcess(dataDir: string, settings: Record<string, string> = {}) {
  await using server = createServer({
    operations,
    environment: {
      DOWEL_DATA_DIR: dataDir,
      DOWEL_MANIFEST: join(root, 'manifest.json'),
      DOWEL_LOG_LEVEL: 'silent',
      ...settings,
    },
  });
  await server.open();
}
