/** A program that is not Node does not see the end of its parent: a shell beside it ends it then. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Its input ends without a line only when this process does. */
const guard = 'read -r line || { kill -s TERM -- "-$0"; sleep 3; kill -s KILL -- "-$0"; }';

/**
 * Ends a process group when this process has ended, even by SIGKILL: with SIGTERM, and after 3 s with SIGKILL. Not for
 * Windows, which has no such groups.
 *
 * @param groupId the process id of its first process
 * @returns lets the group live. Resolves when the shell has ended.
 */
export function endWithParent(groupId: number): () => Promise<unknown> {
  const child = spawn('/bin/sh', ['-c', guard, String(groupId)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not in the group of a terminal, whose signals would end it first.
    detached: true,
  });
  const ended = once(child, 'close').catch(() => {});
  child.stdin.on('error', () => {});
  child.unref();
  return () => {
    child.ref();
    child.stdin.end('\n');
    return ended;
  };
}
