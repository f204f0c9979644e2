import { type AlertRule, silenceHours } from '@dowel/schema';
import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { alertsKey } from '../api/queries.ts';
import { ReasonDialog } from '../shared/reason-dialog.tsx';

export interface SilenceAction {
  kind: 'silence' | 'end';
  rule: AlertRule;
  subject: string;
}

/** Confirms a silence of some hours for a rule, or its end. */
export function SilenceDialog({ action, onClose }: { action: SilenceAction; onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const [hours, setHours] = useState<(typeof silenceHours)[number]>(4);
  const { kind, rule, subject } = action;

  async function perform(reason: string): Promise<undefined> {
    await (kind === 'silence'
      ? api.silenceAlert({ rule, subject, hours, reason })
      : api.endSilence({ rule, subject, reason }));
    void queryClient.invalidateQueries({ queryKey: alertsKey });
  }

  const about = `${t(`alerts.name.${rule}`)} ${subject}`.trim();
  const frame = { about, perform, onClose };
  if (kind === 'end') {
    return <ReasonDialog {...frame} title={t('alerts.endSilence')} what={t('alerts.whatEnd')} />;
  }
  return (
    <ReasonDialog {...frame} title={t('alerts.silence')} what={t('alerts.whatSilence')}>
      <NativeSelect
        label={t('alerts.forHours')}
        value={String(hours)}
        onChange={({ currentTarget: { value } }) =>
          setHours(silenceHours.find((each) => String(each) === value) ?? 4)
        }
        data={silenceHours.map((each) => ({
          value: String(each),
          label: t(`alerts.hours.h${each}`),
        }))}
        data-autofocus
      />
    </ReasonDialog>
  );
}
