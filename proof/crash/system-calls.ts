/** System calls of a process: writes to the database's log, their syncs, and answers to events. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** False without strace, or if the container forbids it. */
export const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

export function traceTo(path: string): [program: string, ...args: string[]] {
  const calls = 'trace=pwrite64,write,writev,fdatasync,fsync';
  return ['strace', '-f', '-y', '-s', '24', '-e', calls, '-o', path];
}

export interface TracedAnswer {
  /** The number of syncs of the log since the previous answer. */
  syncs: number;
  /** Whether a part of the log was not durable when the answer was written. */
  isEarly: boolean;
}

/** The answers 201, in their order. */
export async function readAnswers(path: string): Promise<TracedAnswer[]> {
  const answers: TracedAnswer[] = [];
  let syncs = 0;
  let isDirty = false;
  /** Threads that are syncing the log. */
  const syncing = new Set<string>();
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [thread = ''] = line.split(' ');
    const isLog = line.includes('-wal>');
    if (isLog && line.includes('write')) isDirty = true;
    const isSync = isLog && /f(?:data)?sync\(/.test(line);
    if (isSync && line.includes('<unfinished')) syncing.add(thread);
    const isResumed = /<\.\.\. f(?:data)?sync resumed>/.test(line) && syncing.delete(thread);
    if ((isSync && line.endsWith('= 0')) || isResumed) {
      syncs += 1;
      isDirty = false;
    }
    if (!line.includes('HTTP/1.1 201')) continue;
    answers.push({ syncs, isEarly: isDirty });
    syncs = 0;
  }
  return answers;
}
