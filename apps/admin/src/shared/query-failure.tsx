import { Alert, Button, Stack, Text } from '@mantine/core';
import CircleAlert from 'lucide-react/icons/circle-alert';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure } from './describe-failure.ts';

export interface QueryFailureProps {
  title: string;
  error: unknown;
  onRetry: () => void;
  /** Further actions for the reader. */
  children?: ReactNode;
}

/** Shows what failed and a button to try again. */
export function QueryFailure({ title, error, onRetry, children }: QueryFailureProps) {
  const { t } = useTranslation();
  return (
    <Alert
      role="alert"
      title={title}
      icon={<CircleAlert size={20} aria-hidden="true" />}
      classNames={{ message: 'alert-text' }}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{describeFailure(t, error)}</Text>
        <Button variant="default" size="xs" onClick={onRetry}>
          {t('failure.tryAgain')}
        </Button>
        {children}
      </Stack>
    </Alert>
  );
}
