/** Reads the calls that the hooks of a back end have written to a file. */
import { readFile } from 'node:fs/promises';
import type { KillWorld } from './kill-world.ts';

/** A claim of the program's hooks ends after their time-out and 15 s. */
export const hookLeaseMs = 46_000;

export interface HookCall {
  event: string;
  id: string;
  sequence: number;
  attempt: number;
  pluginId: string;
}

/** The calls for one plug-in, in their order. */
export async function readHookCalls(
  { hookFile }: KillWorld,
  pluginId: string,
): Promise<HookCall[]> {
  const text = await readFile(hookFile, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as HookCall)
    .filter((call) => call.pluginId === pluginId);
}

/** The number of unsettled deliveries of all installations. */
export async function countWaiting({ database }: KillWorld): Promise<number> {
  const rows = await database.execute(
    "select sequence from hook_deliveries where state = 'waiting'",
  );
  return rows.length;
}
