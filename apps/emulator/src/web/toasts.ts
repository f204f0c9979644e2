/** Short messages in the corner: what was done, what failed, and what arrived. */
import type { ReceivedNotification } from '@dowel/emulator/control-api';
import { type NotificationData, notifications } from '@mantine/notifications';
import type { TFunction } from 'i18next';
import { describeError } from './describe-error.ts';

export function showDone(t: TFunction, message: string) {
  show(t, { message, color: 'green', autoClose: 4_000 });
}

/** @param title without one, it says only that something failed. */
export function showFailure(t: TFunction, title: string | undefined, error: unknown) {
  show(t, {
    title: title ?? t('failure.title'),
    message: describeError(t, error),
    color: 'red',
    autoClose: 12_000,
  });
}

export function showArrival(t: TFunction, { pluginName, message }: ReceivedNotification) {
  show(t, { title: pluginName, message, color: 'teal', autoClose: 8_000 });
}

function show(t: TFunction, toast: NotificationData) {
  const closeButtonProps = { 'aria-label': t('shell.closeMessage') };
  notifications.show({ ...toast, closeButtonProps });
}
