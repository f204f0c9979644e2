/**
 * The time up to which a person has seen their notifications. The platform does not store it, so this
 * browser does, per person: the `receivedAt` of the newest seen notification.
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

/** Number of notifications received after `readUpTo` (epoch milliseconds). */
export function countUnread(notifications: readonly { receivedAt: number }[], readUpTo: number) {
  return notifications.filter(({ receivedAt }) => receivedAt > readUpTo).length;
}

/** When the newest notification was received; 0 if there is none. */
export function newestReceivedAt(notifications: readonly { receivedAt: number }[]): number {
  return notifications.reduce((newest, { receivedAt }) => Math.max(newest, receivedAt), 0);
}
