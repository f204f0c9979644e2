import { Alert, Button, Stack, Text } from '@mantine/core';
import CircleAlert from 'lucide-react/icons/circle-alert';

export interface QueryFailureProps {
  title: string;
  error: Error;
  onRetry: () => void;
}

/** Shows the error's message and a button to try again. */
export function QueryFailure({ title, error, onRetry }: QueryFailureProps) {
  return (
    <Alert
      role="alert"
      title={title}
      icon={<CircleAlert size={20} aria-hidden="true" />}
      classNames={{ message: 'alert-text' }}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{error.message}</Text>
        <Button variant="default" size="xs" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
