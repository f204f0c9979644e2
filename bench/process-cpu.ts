/** CPU time of other processes, on Linux. */
import { readFile } from 'node:fs/promises';

/** Of a second, on every usual Linux. */
const ticks = 100;

/** All threads of a process, in seconds; 0 if it has ended. With `ended`, also its children that have ended. */
export async function readCpu(pid: number, { ended = false } = {}): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name before it may have spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return (user + system + (ended ? endedUser + endedSystem : 0)) / ticks;
}
