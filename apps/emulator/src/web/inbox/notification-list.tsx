import type { ReceivedNotification } from '@dowel/emulator/control-api';
import { Loader, Text, Title } from '@mantine/core';
import BellOff from 'lucide-react/icons/bell-off';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../error-alert.tsx';
import { TimeAgo } from '../time-ago.tsx';

export interface NotificationListProps {
  query: {
    data: { notifications: ReceivedNotification[] } | undefined;
    error: unknown;
    isPending: boolean;
    refetch: () => unknown;
  };
  /** Notifications received later are marked as new. */
  readUpToBefore: number;
}

export function NotificationList({ query, readUpToBefore }: NotificationListProps) {
  const { t } = useTranslation();
  return (
    <>
      <Title order={2} size="h4" px="md" py="sm" tabIndex={-1} data-autofocus>
        {t('inbox.title')}
      </Title>
      {query.isPending && <Loader m="md" size="sm" aria-label={t('inbox.loading')} />}
      {Boolean(query.error) && (
        <ErrorAlert
          m="md"
          title={t('inbox.failed')}
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data?.notifications.length === 0 && <NothingYet />}
      <ul className="inbox-list">
        {query.data?.notifications.map((notification) => (
          <NotificationItem
            key={notification.id}
            notification={notification}
            isNew={notification.receivedAt > readUpToBefore}
          />
        ))}
      </ul>
    </>
  );
}

function NothingYet() {
  const { t } = useTranslation();
  return (
    <div className="inbox-empty">
      <BellOff size={28} aria-hidden />
      <Text size="sm">{t('inbox.nothingYet')}</Text>
    </div>
  );
}

interface NotificationItemProps {
  notification: ReceivedNotification;
  isNew: boolean;
}

function NotificationItem({ notification, isNew }: NotificationItemProps) {
  const { t } = useTranslation();
  const { message, excerpt, pluginName, category, receivedAt } = notification;
  return (
    <li className="inbox-item" data-new={isNew}>
      <p className="inbox-message">{message}</p>
      {excerpt !== null && <p className="inbox-excerpt">{excerpt}</p>}
      <p className="inbox-origin">
        {isNew && <strong>{`${t('inbox.new')} · `}</strong>}
        {pluginName} · {t(`inbox.category.${category}` as 'inbox.category.ACTIVITY', category)} ·{' '}
        <TimeAgo at={receivedAt} />
      </p>
    </li>
  );
}
