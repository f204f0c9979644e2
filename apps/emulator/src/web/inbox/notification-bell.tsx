import { ActionIcon, Indicator, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Bell from 'lucide-react/icons/bell';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notificationsQuery } from '../control-queries.ts';
import { NotificationList } from './notification-list.tsx';
import { countUnread, newestReceivedAt, useReadMark } from './read-mark.ts';

/** The bell with the count of unread notifications; opening it reads them. */
export function NotificationBell({ userId }: { userId: string }) {
  const { t } = useTranslation();
  const query = useQuery(notificationsQuery);
  const received = query.data?.notifications ?? [];
  const { readUpTo, setReadUpTo } = useReadMark(userId);
  const [opened, setOpened] = useState(false);
  const [readUpToBefore, setReadUpToBefore] = useState(readUpTo);
  const unread = opened ? 0 : countUnread(received, readUpTo);
  const newest = newestReceivedAt(received);

  useEffect(() => {
    if (opened && newest > readUpTo) setReadUpTo(newest);
  }, [opened, newest, readUpTo, setReadUpTo]);

  const changeOpened = (willOpen: boolean) => {
    if (willOpen) setReadUpToBefore(readUpTo);
    setOpened(willOpen);
  };

  return (
    <Popover
      opened={opened}
      onChange={changeOpened}
      position="bottom-end"
      shadow="md"
      width="min(380px, calc(100vw - 24px))"
      trapFocus
    >
      <Indicator label={unread} disabled={unread === 0} size={18} color="red" offset={7}>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={40}
            className="bell"
            aria-label={unread === 0 ? t('inbox.title') : t('inbox.unread', { unread })}
            onClick={() => changeOpened(!opened)}
          >
            <Bell size={20} aria-hidden />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown className="inbox" aria-label={t('inbox.title')}>
        <NotificationList query={query} readUpToBefore={readUpToBefore} />
      </Popover.Dropdown>
    </Popover>
  );
}
