import { Alert, type AlertProps, Button } from '@mantine/core';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { describeError } from './toasts.ts';

export interface ErrorAlertProps extends AlertProps {
  error: unknown;
  /** Offers "Try again". */
  onRetry?: () => void;
}

/** Explains a failed call next to its cause. */
export function ErrorAlert({ error, onRetry, children, ...alert }: ErrorAlertProps) {
  return (
    <Alert color="red" icon={<TriangleAlert size={20} aria-hidden />} {...alert}>
      {describeError(error)}
      {children}
      {onRetry && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry} display="block">
          Try again
        </Button>
      )}
    </Alert>
  );
}
