import { SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { labQuery } from '../control-queries.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { FaultSection } from '../faults/fault-section.tsx';
import type { PlayState } from '../faults/use-play.ts';
import { ClockCard } from './clock-card.tsx';
import { FormsCard } from './forms-card.tsx';
import { GrantedScopesCard } from './granted-scopes-card.tsx';
import { LifetimeCard } from './lifetime-card.tsx';
import { RotationCard } from './rotation-card.tsx';

/** The authorization server’s settings and the faults, which no real platform lets a developer change. */
export function LabPage({ playing }: { playing: PlayState }) {
  const { t } = useTranslation();
  const lab = useQuery(labQuery);

  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {t('page.lab')}
        </Title>
        <Text c="dimmed">{t('lab.lead')}</Text>
      </div>
      {lab.isPending && <Skeleton height={320} radius="lg" aria-label={t('lab.loading')} />}
      {lab.isError && (
        <ErrorAlert title={t('lab.failed')} error={lab.error} onRetry={() => void lab.refetch()} />
      )}
      {lab.data && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <ClockCard lab={lab.data} />
          <LifetimeCard key={lab.data.accessTokenLifetimeSeconds} lab={lab.data} />
          <GrantedScopesCard lab={lab.data} />
          <RotationCard lab={lab.data} />
          <FormsCard lab={lab.data} />
        </SimpleGrid>
      )}
      <FaultSection {...playing} />
    </Stack>
  );
}
