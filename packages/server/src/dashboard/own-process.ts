/** Describes the process that answers, so that operators can distinguish several. `startedAt` in epoch milliseconds. */
export function describeProcess(): { pid: number; startedAt: number } {
  return { pid: process.pid, startedAt: Math.round(Date.now() - process.uptime() * 1_000) };
}
