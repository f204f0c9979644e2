import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { notificationsQuery } from '../control-queries.ts';
import { showArrival } from '../toasts.ts';

/** A toast for each notification that arrives while the page is open; none for older ones. */
export function useArrivalToasts() {
  const { t } = useTranslation();
  const received = useQuery(notificationsQuery).data?.notifications;
  const known = useRef<Set<number> | null>(null);

  useEffect(() => {
    if (!received) return;
    const before = known.current;
    known.current = new Set(received.map(({ id }) => id));
    if (before === null) return;
    for (const notification of received.toReversed()) {
      if (!before.has(notification.id)) showArrival(t, notification);
    }
  }, [t, received]);
}
