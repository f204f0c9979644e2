import { Alert, type AlertProps, Button } from '@mantine/core';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { describeError } from './describe-error.ts';

export interface ErrorAlertProps extends AlertProps {
  error: unknown;
  /** Offers "Try again". */
  onRetry?: () => void;
}

/** Explains a failed call next to its cause. */
export function ErrorAlert({ error, onRetry, children, ...alert }: ErrorAlertProps) {
  const { t } = useTranslation();
  return (
    <Alert color="red" icon={<TriangleAlert size={20} aria-hidden />} {...alert}>
      {describeError(t, error)}
      {children}
      {onRetry && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry} display="block">
          {t('shell.tryAgain')}
        </Button>
      )}
    </Alert>
  );
}
