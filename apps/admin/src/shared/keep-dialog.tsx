import { type FleetDetail, longestKeepDays } from '@dowel/admin-api';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../api/use-action.ts';
import { useFormats } from '../i18n/formats.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { useReadServerNow } from './ticker.tsx';

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;
const proposedDays = 90;

/** Keeps the record of an uninstalled installation until the end of a day. */
export function KeepDialog({ detail, onClose }: { detail: FleetDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { installation, purgedAt } = detail;
  const act = useAction(installation.id);
  const now = useReadServerNow()();
  const earliest = Math.max(now, purgedAt ?? 0);
  const latest = now + longestKeepDays * dayMs;
  const proposed = Math.max(now + proposedDays * dayMs, earliest + dayMs);
  const [day, setDay] = useState(() => toDay(Math.min(proposed, latest - dayMs)));
  const until = endOf(day);

  return (
    <ReasonDialog
      title={t('action.keep')}
      about={installation.name || installation.host}
      what={t('action.what.keep', { date: purgedAt === null ? '–' : formats.date(purgedAt) })}
      isComplete={until > earliest && until <= latest}
      command={[
        'keep',
        installation.id,
        '--until',
        Number.isNaN(until) ? '…' : new Date(until).toISOString(),
      ]}
      perform={(reason) => act('keep', { until, reason })}
      onClose={onClose}
    >
      <TextInput
        type="date"
        label={t('action.until')}
        description={t('action.untilHint', { days: longestKeepDays })}
        value={day}
        min={toDay(earliest + secondMs)}
        max={toDay(latest - dayMs)}
        onChange={({ currentTarget }) => setDay(currentTarget.value)}
        data-autofocus
      />
    </ReasonDialog>
  );
}

/** `2026-11-23` in the reader's zone. */
function toDay(at: number): string {
  const date = new Date(at);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** The last second of a day in the reader's zone; NaN for a text that is no day. */
function endOf(day: string): number {
  return new Date(`${day}T23:59:59`).getTime();
}
