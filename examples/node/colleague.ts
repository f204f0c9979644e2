/** A second user, who receives the notifications of the examples. */
import type { Platform } from '@dowel/emulator';

export function colleagueOf({ tenants }: Platform) {
  const colleague = tenants[0]?.users[1];
  if (!colleague) throw new Error('The tenant has one user only');
  return colleague;
}

/** The notifications that the colleague has received. */
export function messagesOf(platform: Platform): string[] {
  return platform.notifications(colleagueOf(platform).userId).map(({ message }) => message);
}
