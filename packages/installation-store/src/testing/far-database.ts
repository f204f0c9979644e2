/** A PostgreSQL database, and a network to it that can fail. */
import type { TestContext } from 'vitest';
import { startTcpProxy } from './tcp-proxy.ts';
import { postgres } from './test-databases.ts';

/** @returns the database, the network, and the database's URL through that network. Both end with the test. */
export async function createFarDatabase(onTestFinished: TestContext['onTestFinished']) {
  const database = await postgres.create();
  onTestFinished(() => database.destroy());
  const url = new URL((database.location as { url: string }).url);
  const proxy = await startTcpProxy(new URL(url));
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  return { database, proxy, url: url.href };
}
