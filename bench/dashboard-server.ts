/** The server of the dashboard's benchmark, in a process of its own. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { dashboardDirectory } from '@dowel/dashboard';
import { createServer } from '@dowel/server';
import { answerParent } from './child-process.ts';

export interface ServerCommands {
  /** Starts the server on the folder's database. */
  open(folder: string): Promise<{ url: string; code: string }>;
  /** CPU of the process in microseconds, all threads together, and the loop's delay since the last call. */
  measure(): { cpu: number; lagP99Ms: number };
}

const lag = monitorEventLoopDelay({ resolution: 5 });

answerParent<ServerCommands>({
  async open(folder) {
    let link = '';
    const server = createServer({
      manifest: new URL('../manifest.json', import.meta.url),
      trust: 'https://*.example.com=https://keys.example.com/',
      environment: { DOWEL_DATA_DIR: folder, DOWEL_LOG_LEVEL: 'silent' },
      port: 0,
      dashboard: {
        directory: dashboardDirectory,
        onSignInLink: ({ url }) => {
          link = url;
        },
      },
    });
    const { url } = await server.start();
    lag.enable();
    return { url, code: new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? '' };
  },

  measure() {
    const { user, system } = process.cpuUsage();
    const lagP99Ms = lag.percentile(99) / 1e6;
    lag.reset();
    return { cpu: user + system, lagP99Ms };
  },
});
