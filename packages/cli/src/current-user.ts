import { hostname, userInfo } from 'node:os';

/** Who runs the command, for the audit. Whoever reads the key file may do everything. */
export function currentUser() {
  const { username } = userInfo();
  return { who: username, role: 'owner', way: 'cli', from: hostname() } as const;
}
