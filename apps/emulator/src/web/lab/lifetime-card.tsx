import type { Lab } from '@dowel/emulator/control-api';
import { Button, NumberInput } from '@mantine/core';
import Timer from 'lucide-react/icons/timer';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../use-locale.ts';
import { formatOffset } from './format-offset.ts';
import { LabCard } from './lab-card.tsx';
import { useLabChange } from './lab-change.ts';

export function LifetimeCard({ lab }: { lab: Lab }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const change = useLabChange();
  const [seconds, setSeconds] = useState<number | string>(lab.accessTokenLifetimeSeconds);
  const isUsable = typeof seconds === 'number' && seconds > 0;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isUsable) return;
    const done = t('lab.lifetime.saved', { lifetime: formatOffset(locale, seconds) });
    change.mutate({ change: { accessTokenLifetimeSeconds: seconds }, done });
  };

  return (
    <LabCard title={t('lab.lifetime.title')} Icon={Timer} tests={t('lab.lifetime.tests')}>
      <form className="inline-form" onSubmit={submit}>
        <NumberInput
          label={t('lab.lifetime.seconds')}
          value={seconds}
          onChange={setSeconds}
          min={1}
          max={31_536_000}
          allowDecimal={false}
          hideControls
        />
        <Button type="submit" variant="default" disabled={change.isPending || !isUsable}>
          {t('lab.lifetime.save')}
        </Button>
      </form>
    </LabCard>
  );
}
