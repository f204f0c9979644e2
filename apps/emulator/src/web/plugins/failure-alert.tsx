import { Anchor, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ControlError } from '../control-client.ts';
import { ErrorAlert, type ErrorAlertProps } from '../error-alert.tsx';
import { ExchangeName } from '../exchanges/exchange-name.tsx';
import { ExchangeStatus } from '../exchanges/exchange-status.tsx';
import { exchangeRoute } from '../hash-route.ts';

/** Why an installation or update failed: code, message, and the events that led to it in order. */
export function FailureAlert({ error, ...alert }: ErrorAlertProps) {
  const { t } = useTranslation();
  const deliveries = error instanceof ControlError ? error.deliveries : [];
  return (
    <ErrorAlert error={error} {...alert}>
      {deliveries.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm" mb={4}>
            {t('install.inOrder')}
          </Text>
          <List type="ordered" size="sm" spacing={6}>
            {deliveries.map((delivery) => (
              <List.Item key={delivery.id}>
                <Anchor href={exchangeRoute(delivery.id)} size="sm" underline="always">
                  <ExchangeName exchange={delivery} />
                </Anchor>{' '}
                {t('install.wasSent')} <ExchangeStatus exchange={delivery} />
                {delivery.error && <Text size="sm">{delivery.error.message}</Text>}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </ErrorAlert>
  );
}
