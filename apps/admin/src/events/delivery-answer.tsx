import type { Delivery } from '@dowel/admin-api';
import Check from 'lucide-react/icons/check';
import Repeat from 'lucide-react/icons/repeat-2';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import { nameReason } from '../shared/reason-looks.ts';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './events-page.module.css';

/** Our answer in words: its status, and why it was no other. */
export function DeliveryAnswer({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const { status, reason, isRepeat } = delivery;
  const isRefused = status >= 400;
  const said = t(isRefused ? 'events.refused' : 'events.accepted', { status });
  const why = [
    reason === null ? undefined : nameReason(t, reason),
    isRepeat ? t('events.repeated') : undefined,
  ].filter((each) => each !== undefined);
  return (
    <span className={classes.answer}>
      <RoleBadge
        role={isRefused ? 'risk' : isRepeat ? 'note' : 'ok'}
        icon={isRefused ? X : isRepeat ? Repeat : Check}
      >
        {said}
      </RoleBadge>
      {why.length === 0 ? null : <span>{why.join(' · ')}</span>}
    </span>
  );
}
