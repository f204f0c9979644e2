import { hostname, userInfo } from 'node:os';
import { readPersonName } from '@dowel/admin-api';

/**
 * The user who runs the command, for the audit. The role is owner: a person who can read the key file may do
 * everything.
 */
export function currentUser() {
  return { who: readUserName(), role: 'owner', way: 'cli', from: hostname() } as const;
}

/** In a container the user may have only a number; `userInfo` fails then. */
function readUserName(): string {
  try {
    return readPersonName(userInfo().username) ?? userId();
  } catch {
    return userId();
  }
}

function userId(): string {
  return `uid ${process.geteuid?.() ?? 'unknown'}`;
}
