/** The sample plug-in's back end, as the doctor sees it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOperationCall, runDoctor } from '@dowel/conformance';
import { createServer } from '@dowel/server';
import { expect, onTestFinished, test } from 'vitest';
import { operations } from './operations.ts';
import { root } from './testing/start-process.ts';

/** In place of the built page, which a clone does not have. Resolves with the folder. */
async function writePages(directory: string): Promise<string> {
  await mkdir(directory);
  await writeFile(join(directory, 'index.html'), '<script type="module" src="page.js"></script>');
  await writeFile(join(directory, 'page.js'), 'document.title = "Page";');
  return directory;
}

test('the sample plug-in has no finding', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pages = await writePages(join(folder, 'pages'));
  const host = createHttpServer();
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    host.close();
    host.closeAllConnections();
  });
  const publicUrl = `http://localhost:${(host.address() as AddressInfo).port}`;
  /** Its trust is known when the doctor listens. */
  const open = async (origin: string) => {
    const server = createServer({
      operations,
      publicUrl,
      frontend: { directory: pages },
      trust: `${origin}=${origin}/certificates/`,
      environment: {
        DOWEL_DATA_DIR: folder,
        DOWEL_MANIFEST: join(root, 'manifest.json'),
        DOWEL_LOG_LEVEL: 'silent',
      },
    });
    onTestFinished(() => server.close());
    await server.open();
    host.on('request', server.callback());
  };

  const report = await runDoctor(`${publicUrl}/manifest.json`, {
    origin: 'http://localhost:0',
    keyBits: 2048,
    call: createOperationCall('createNotification'),
    slow: true,
    onListening: open,
  });

  const findings = report.results
    .filter(({ verdict, missing }) => verdict !== 'pass' && missing.length === 0)
    .map(({ id, verdict, note }) => `${verdict} ${id}: ${note}`);
  expect([report.control, ...findings]).toEqual([null]);
});
