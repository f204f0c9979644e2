import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findUnusedPort, startOnUnusedPort } from './unused-port.ts';

test('an unused port can be listened on, and the system does not assign it', async () => {
  const port = await findUnusedPort();

  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
});

test('the search for an unused port ends, with the reason', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  await expect(findUnusedPort({ first: port, count: 1 })).rejects.toMatchObject({
    message: `No unused port found: 100 tries in the range ${port} to ${port} failed`,
    cause: { code: 'EADDRINUSE' },
  });
  server.close();
});

test.each([
  Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' }),
  new Error('It ended with code 1: port 20000 is in use'),
])('a program whose port was taken meanwhile is started on another one: %s', async (taken) => {
  const failures: Error[] = [taken, taken];
  const ports: number[] = [];

  const started = await startOnUnusedPort(async (port) => {
    ports.push(port);
    const failure = failures.shift();
    if (failure) throw failure;
    return 'started';
  });

  expect(started).toBe('started');
  expect(ports).toHaveLength(3);
});

test('a program that fails for another reason, or five times, is not started again', async () => {
  let starts = 0;
  const fail = (message: string) => {
    starts += 1;
    return Promise.reject(new Error(message));
  };

  await expect(startOnUnusedPort(() => fail('no key'))).rejects.toThrow('no key');
  expect(starts).toBe(1);
  await expect(startOnUnusedPort(() => fail('is in use'))).rejects.toThrow('is in use');
  expect(starts).toBe(1 + 5);
});
