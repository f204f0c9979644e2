import { hostname, userInfo } from 'node:os';

/** Who runs the command, for the audit: an owner, since everybody who can read the key file may do everything. */
export function currentUser() {
  const { username } = userInfo();
  return { who: username, role: 'owner', way: 'cli', from: hostname() } as const;
}
