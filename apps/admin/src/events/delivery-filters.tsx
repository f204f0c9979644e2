import { deliveryEventSchema, deliveryOutcomeSchema } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import chips from '../shared/chips.module.css';
import { nameReason } from '../shared/reason-looks.ts';
import { Segments } from '../shared/segments.tsx';
import { TypedFilter } from '../shared/typed-filter.tsx';
import type { DeliveriesCardProps } from './deliveries-card.tsx';
import classes from './events-page.module.css';
import { type EventsSearch, eventOrders } from './events-search.ts';

export interface DeliveryFiltersProps extends DeliveriesCardProps {
  /** The name of the chosen one. */
  tenant: string | undefined;
}

/** Filters by answer, event and time, and what was chosen elsewhere, which can be left out again. */
export function DeliveryFilters({ search, choose, tenant }: DeliveryFiltersProps) {
  const { t } = useTranslation();
  const { outcome, event, from, to, reason, order = eventOrders[0] } = search;
  return (
    <div className={classes.filters}>
      <Segments
        label={t('events.outcome')}
        value={outcome ?? 'all'}
        onChange={(chosen) => choose({ outcome: chosen === 'all' ? undefined : chosen })}
        choices={(['all', ...deliveryOutcomeSchema.options] as const).map((value) => ({
          value,
          label: t(`events.outcomes.${value}`),
        }))}
      />
      <NativeSelect
        size="xs"
        aria-label={t('events.event')}
        value={event ?? ''}
        onChange={({ currentTarget }) =>
          choose({ event: deliveryEventSchema.safeParse(currentTarget.value).data })
        }
        data={[
          { value: '', label: t('events.anyEvent') },
          ...deliveryEventSchema.options.map((value) => ({
            value,
            label: t(`events.kind.${value}`),
          })),
        ]}
      />
      <MinuteField
        label={t('events.from')}
        chosen={from}
        choose={(text) => choose({ from: text })}
      />
      <MinuteField label={t('events.to')} chosen={to} choose={(text) => choose({ to: text })} />
      <Segments
        label={t('events.order')}
        value={order}
        onChange={(chosen) => choose({ order: chosen })}
        choices={eventOrders.map((value) => ({ value, label: t(`events.orders.${value}`) }))}
      />
      {tenant === undefined ? null : (
        <Chosen name={tenant} leaveOut={() => choose({ installation: undefined })} />
      )}
      {reason === undefined ? null : (
        <Chosen name={nameReason(t, reason)} leaveOut={() => choose({ reason: undefined })} />
      )}
    </div>
  );
}

function Chosen({ name, leaveOut }: { name: string; leaveOut: () => void }) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={chips.chip}
      aria-current="true"
      aria-label={t('events.leaveOut', { name })}
      onClick={leaveOut}
    >
      {name}
      <X size={13} aria-hidden="true" />
    </button>
  );
}

interface MinuteFieldProps {
  label: string;
  chosen: EventsSearch['from'];
  choose: (text: string | undefined) => void;
}

/** A point in time, with its name inside the field. */
function MinuteField({ label, chosen = '', choose }: MinuteFieldProps) {
  return (
    <TypedFilter
      type="datetime-local"
      size="xs"
      label={label}
      leftSection={<span className={classes.fieldName}>{label}</span>}
      leftSectionWidth={44}
      chosen={chosen}
      choose={(text) => choose(text || undefined)}
    />
  );
}
