import type { AlertDelivery, Alerts } from '@dowel/schema';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import Hourglass from 'lucide-react/icons/hourglass';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { alertsKey } from '../api/queries.ts';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { describeFailure } from '../shared/describe-failure.ts';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './alerts-page.module.css';
import { useHindrance } from './use-hindrance.ts';

type ChannelEntry = Alerts['channels'][number];

const looks = {
  delivered: { role: 'ok', icon: CircleCheck },
  waiting: { role: 'risk', icon: Hourglass },
  failed: { role: 'bad', icon: TriangleAlert },
} as const;

/** Where alerts go, and whether the newest message has arrived. */
export function ChannelsCard({ channels }: { channels: readonly ChannelEntry[] }) {
  const { t } = useTranslation();
  return (
    <DataCard title={t('alerts.channels')}>
      <DataTable
        name={t('alerts.channels')}
        columns={[t('alerts.channel'), t('alerts.target'), t('alerts.last'), t('column.actions')]}
      >
        {channels.map((each) => (
          <ChannelRow key={each.channel} entry={each} />
        ))}
      </DataTable>
    </DataCard>
  );
}

function ChannelRow({ entry: { channel, target, last, waiting } }: { entry: ChannelEntry }) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const roleHindrance = useHindrance();
  const test = useMutation({
    mutationFn: () => api.testAlerts(channel),
    onSettled: () => queryClient.invalidateQueries({ queryKey: alertsKey }),
  });
  const name = t(`alerts.channelName.${channel}`);
  const hindrance = target === null ? t('alerts.notConfigured') : roleHindrance;
  return (
    <tr>
      <td>{name}</td>
      <td className="breakable" data-label={t('alerts.target')}>
        {target === null ? (
          <span className="dimmed">{t(`alerts.notSet.${channel}`)}</span>
        ) : (
          target || t('alerts.isSet')
        )}
      </td>
      <td className="breakable" data-label={t('alerts.last')}>
        {last ? <LastMessage message={last} /> : t('alerts.noMessage')}
        {waiting > 1 ? (
          <div className={classes.note}>{t('alerts.waiting', { count: waiting })}</div>
        ) : null}
      </td>
      <td>
        <HinderedButton
          hindrance={test.isPending ? t('alerts.state.waiting') : hindrance}
          label={t('alerts.testOf', { channel: name })}
          onClick={() => test.mutate()}
        >
          {t('alerts.test')}
        </HinderedButton>
        <div role="status" className={classes.note}>
          {test.data?.message}
          {test.error ? describeFailure(t, test.error) : null}
        </div>
      </td>
    </tr>
  );
}

function LastMessage({ message }: { message: AlertDelivery }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { state, kind, createdAt, nextAttemptAt, lastError } = message;
  return (
    <>
      <RoleBadge {...looks[state]}>{t(`alerts.state.${state}`)}</RoleBadge>{' '}
      {t(`alerts.kind.${kind}`)},{' '}
      <span title={formats.exact(createdAt)}>{formats.moment(createdAt)}</span>
      {state !== 'delivered' && lastError !== null ? (
        <div className={classes.note}>{lastError}</div>
      ) : null}
      {nextAttemptAt === null ? null : (
        <div className={classes.note}>
          {t('alerts.next', { time: formats.moment(nextAttemptAt) })}
        </div>
      )}
    </>
  );
}
