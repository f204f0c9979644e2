/** A second user, who gets notifications from the one who runs an example. */
import type { Platform } from '@dowel/emulator';

export function colleagueOf({ tenants }: Platform) {
  const colleague = tenants[0]?.users[1];
  if (!colleague) throw new Error('The tenant has one user only');
  return colleague;
}

/** What the colleague was told. */
export function messagesOf(platform: Platform): string[] {
  return platform.notifications(colleagueOf(platform).userId).map(({ message }) => message);
}
