/**
 * Up to when a person has seen their notifications. The platform keeps no such mark, so it lives in
 * this browser, per person, as the `receivedAt` of the newest one seen.
 */
import { useLocalStorage } from '@mantine/hooks';

export function useReadMark(userId: string) {
  const [readUpTo, setReadUpTo] = useLocalStorage({
    key: `dowel-emulator-read-up-to:${userId}`,
    defaultValue: 0,
    getInitialValueInEffect: false,
  });
  return { readUpTo, setReadUpTo };
}

/** How many were received after `readUpTo` (epoch milliseconds). */
export function countUnread(notifications: readonly { receivedAt: number }[], readUpTo: number) {
  return notifications.filter(({ receivedAt }) => receivedAt > readUpTo).length;
}

/** When the newest was received; 0 without any. */
export function newestReceivedAt(notifications: readonly { receivedAt: number }[]): number {
  return notifications.reduce((newest, { receivedAt }) => Math.max(newest, receivedAt), 0);
}
