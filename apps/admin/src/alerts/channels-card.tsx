import { type AlertAnswer, type AlertDelivery, type Alerts, isRoleEnough } from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import CircleCheck from 'lucide-react/icons/circle-check';
import Hourglass from 'lucide-react/icons/hourglass';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './alerts-page.module.css';

type ChannelEntry = Alerts['channels'][number];

const looks = {
  delivered: { role: 'ok', icon: CircleCheck },
  waiting: { role: 'risk', icon: Hourglass },
  failed: { role: 'bad', icon: TriangleAlert },
} as const;

/** The channels of alerts, and the delivery of the newest message. */
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
  const role = useRole();
  const [isTesting, setIsTesting] = useState(false);
  const name = t(`alerts.channelName.${channel}`);
  const mayAct = role && isRoleEnough(role, 'operator');
  const hindrance =
    target === null ? t('alerts.notConfigured') : mayAct ? undefined : t('action.onlyOperators');
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
          hindrance={hindrance}
          label={t('alerts.testOf', { channel: name })}
          onClick={() => setIsTesting(true)}
        >
          {t('alerts.test')}
        </HinderedButton>
        {isTesting ? (
          <TestDialog channel={channel} name={name} onClose={() => setIsTesting(false)} />
        ) : null}
      </td>
    </tr>
  );
}

interface TestDialogProps extends Pick<ChannelEntry, 'channel'> {
  name: string;
  onClose: () => void;
}

/** Sends a test message after a confirmation, and shows the answer of the receiver. */
function TestDialog({ channel, name, onClose }: TestDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const perform = async (reason: string) =>
    describeAnswer(t, (await api.testAlerts(channel, reason)).answer);

  return (
    <ReasonDialog
      title={t('alerts.test')}
      about={name}
      what={t('alerts.whatTest')}
      perform={perform}
      onClose={onClose}
    />
  );
}

function describeAnswer(t: TFunction, answer: AlertAnswer): string {
  const status = 'status' in answer ? answer.status : '';
  const text = t(`alerts.answer.${answer.kind}`, { status });
  return 'code' in answer && answer.code !== null ? `${text} (${answer.code})` : text;
}

function LastMessage({ message }: { message: AlertDelivery }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { state, kind, createdAt, nextAttemptAt, lastError, lastAnswer } = message;
  // A message of an earlier version has the English text only.
  const answer = lastAnswer === null ? lastError : describeAnswer(t, lastAnswer);
  return (
    <>
      <RoleBadge {...looks[state]}>{t(`alerts.state.${state}`)}</RoleBadge>{' '}
      {t(`alerts.kind.${kind}`)},{' '}
      <span title={formats.exact(createdAt)}>{formats.moment(createdAt)}</span>
      {state !== 'delivered' && answer !== null ? (
        <div className={classes.note}>{answer}</div>
      ) : null}
      {nextAttemptAt === null ? null : (
        <div className={classes.note}>
          {t('alerts.next', { time: formats.moment(nextAttemptAt) })}
        </div>
      )}
    </>
  );
}
