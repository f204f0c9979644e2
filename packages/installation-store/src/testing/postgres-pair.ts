/** A primary and its standby, and a network to them that can fail: what users call a highly available PostgreSQL. */

import type { TestContext } from 'vitest';
import { startPostgres } from './postgres-cluster.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { query } from './test-databases.ts';

export interface PostgresPair {
  /** The database's URL, through the network. */
  url: string;
  /** The URLs of the primary and of the standby, without the network. */
  direct: readonly [URL, URL];
  network: TcpProxy;
  /** From now on the standby receives nothing, as if it lagged. Only for an asynchronous pair. */
  stopReplication(): Promise<void>;
  /** The primary is lost at once. Connections find no server until `promote`. */
  kill(): Promise<void>;
  /** The standby becomes the primary, and the network leads to it. */
  promote(): Promise<void>;
  /** The primary ends at once, and is started again. */
  restart(): Promise<void>;
  /** The primary takes no writes until this is called with false. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/**
 * Starts both servers, which end with the test.
 *
 * @param options.isSynchronous a commit waits for the standby. Default true.
 */
export async function startPair(
  binaries: string,
  onTestFinished: TestContext['onTestFinished'],
  { isSynchronous = true } = {},
): Promise<PostgresPair> {
  const primary = await startPostgres(binaries);
  onTestFinished(() => primary.stop());
  const standby = await startPostgres(binaries, { primary: primary.url });
  onTestFinished(() => standby.stop());
  const network = await startTcpProxy(new URL(primary.url));
  onTestFinished(() => network.close());
  if (isSynchronous) {
    await query(primary.url, "alter system set synchronous_standby_names = '*'");
    await query(primary.url, 'select pg_reload_conf()');
  }
  const url = new URL(primary.url);
  url.port = String(network.port);
  return {
    url: url.href,
    direct: [new URL(primary.url), new URL(standby.url)],
    network,
    async stopReplication() {
      const rows = await query(primary.url, 'select pid from pg_stat_replication');
      for (const { pid } of rows) {
        process.kill(Number(pid), 'SIGSTOP');
        // A stopped process does not see that its server has ended.
        onTestFinished(() => void process.kill(Number(pid), 'SIGKILL'));
      }
    },
    async kill() {
      network.cut();
      await primary.kill();
    },
    async restart() {
      await primary.kill();
      await primary.restart();
    },
    async setReadOnly(isReadOnly) {
      const value = isReadOnly ? 'on' : 'off';
      await query(
        primary.url,
        'set default_transaction_read_only = off',
        `alter system set default_transaction_read_only = ${value}`,
        'select pg_reload_conf()',
      );
    },
    async promote() {
      await standby.promote();
      network.leadTo(new URL(standby.url));
    },
  };
}
