/** For tests of programs that need their port number before they start. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign (Linux from 32,768, others from 49,152). */
const unassigned = { first: 20_000, count: 10_000 };
const maxTries = 100;
/** A port that was unused a moment ago may be taken that often in a row. */
const maxStarts = 5;

/**
 * A random port on which nothing listens. The system does not assign ports of this range, so a socket
 * that listens on port 0 never takes it. Another caller of this function may: one chance in 10,000.
 *
 * @throws Error if 100 ports in a row cannot be listened on; its cause says why the last one failed.
 */
export async function findUnusedPort({ first, count } = unassigned): Promise<number> {
  let cause: unknown;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = first + Math.floor(Math.random() * count);
    cause = await tryToListen(port);
    if (cause === undefined) return port;
  }
  const range = `${first} to ${first + count - 1}`;
  throw new Error(`No unused port found: ${maxTries} tries in the range ${range} failed`, {
    cause,
  });
}

/**
 * Starts a program on an unused port, and again on another one if somebody took the port meanwhile.
 *
 * @param start rejects with EADDRINUSE, or with an error that says that a port "is in use"
 */
export async function startOnUnusedPort<Started>(
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await start(await findUnusedPort());
    } catch (error) {
      if (starts === maxStarts || !isPortInUse(error)) throw error;
    }
  }
}

function isPortInUse(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE' || String(error).includes('is in use');
}

/** @returns why the port cannot be listened on; undefined if it can. */
async function tryToListen(port: number): Promise<unknown> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    return error;
  }
  server.close();
  await once(server, 'close');
  return undefined;
}
