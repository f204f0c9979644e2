import { List, Text } from '@mantine/core';
import { ControlError } from '../control-client.ts';
import { ErrorAlert, type ErrorAlertProps } from '../error-alert.tsx';
import { DeliveryStatus } from './delivery-status.tsx';

/** Why an installation or update failed: code, message, and the events that led to it in order. */
export function FailureAlert({ error, ...alert }: ErrorAlertProps) {
  const deliveries = error instanceof ControlError ? error.deliveries : [];
  return (
    <ErrorAlert error={error} {...alert}>
      {deliveries.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm" mb={4}>
            What happened, in order
          </Text>
          <List type="ordered" size="sm" spacing={6}>
            {deliveries.map((delivery) => (
              <List.Item key={delivery.id}>
                <code>{delivery.event}</code> was sent: <DeliveryStatus delivery={delivery} />
                {delivery.error && <Text size="sm">{delivery.error.message}</Text>}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </ErrorAlert>
  );
}
