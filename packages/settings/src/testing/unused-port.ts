/** For tests that start a program which must be told its port beforehand. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give out (Linux from 32,768 on, others from 49,152 on). */
const first = 20_000;
const count = 10_000;

/**
 * A port that nobody listens on, and that the system gives to nobody: unlike a port that was looked up by
 * listening on 0, it cannot go to another socket between this look and its use.
 */
export async function findUnusedPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (await isUnused(port)) return port;
  }
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
