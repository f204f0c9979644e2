import {
  createOperationCall,
  exitCodeOf,
  formatText,
  parseCall,
  runDoctor,
} from '@dowel/conformance';
import { startBackEnd, startPlainBackEnd } from '@dowel/conformance/testing';
import { expect, test } from 'vitest';

const origin = 'http://localhost:0';

test('the example of the package examines a back end that does not trust this platform', async () => {
  const { manifestUrl, close } = await startPlainBackEnd();

  const call = parseCall('POST /api/notify {"initJwt":"{initJwt}","message":"{message}"}');
  const report = await runDoctor(manifestUrl, { origin, call });
  const text = formatText(report); // the verdict, then each finding with its fix
  const exitCode = exitCodeOf(report); // 0: no must failed

  expect(exitCode).toBe(3);
  expect(text).toMatch(/^Not judged\. The first installation failed: Unknown key/);
  await close();
});

test('an operation is called in a session, so a back end without one says so', async () => {
  const { manifestUrl, close } = await startBackEnd((_, response) => {
    response.writeHead(404).end('Nothing here');
  });
  const { origin: base } = new URL(manifestUrl);

  const call = createOperationCall('createNotification');

  await expect(call.prepare({ base, fetch } as never)).rejects.toThrow(
    '/api/session/nonce answered 404 Nothing here',
  );
  await close();
});
