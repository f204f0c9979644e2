/** Short messages in the corner: what was done, what failed, and what arrived. */
import type { ReceivedNotification } from '@dowel/emulator/control-api';
import { notifications } from '@mantine/notifications';
import { ControlError } from './control-client.ts';

const closeButtonProps = { 'aria-label': 'Close message' };

export function showDone(message: string) {
  notifications.show({ message, color: 'green', autoClose: 4_000, closeButtonProps });
}

export function showFailure(attempt: string | undefined, error: unknown) {
  notifications.show({
    title: attempt ? `Could not ${attempt}` : 'That did not work',
    message: describeError(error),
    color: 'red',
    autoClose: 12_000,
    closeButtonProps,
  });
}

export function showArrival(arrived: ReceivedNotification) {
  notifications.show({
    title: arrived.pluginName,
    message: arrived.message,
    color: 'teal',
    autoClose: 8_000,
    closeButtonProps,
  });
}

/** An error in words, its code in brackets. */
export function describeError(error: unknown): string {
  if (error instanceof ControlError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : 'An unknown error happened.';
}
