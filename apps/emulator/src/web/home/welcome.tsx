import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNow } from '../time-ago.tsx';
import { useLocale } from '../use-locale.ts';

export function Welcome({ name, tenantName }: { name: string; tenantName: string }) {
  const { t } = useTranslation();
  const now = new Date(useNow(60_000));
  const day = { weekday: 'long', day: 'numeric', month: 'long' } as const;
  return (
    <div className="welcome">
      <Text size="sm">{now.toLocaleDateString(useLocale(), day)}</Text>
      <Title order={1} size="h2">
        {t(`home.${partOfDay(now.getHours())}`, { name: name.split(' ')[0] })}
      </Title>
      <Text>{t('home.lead', { tenant: tenantName })}</Text>
    </div>
  );
}

function partOfDay(hour: number) {
  if (hour < 5 || hour >= 18) return 'evening';
  return hour < 12 ? 'morning' : 'afternoon';
}
