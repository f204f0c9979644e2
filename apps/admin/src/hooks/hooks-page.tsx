import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { OlderButton } from '../shared/older-button.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import { type HookAction, HookDialog } from './hook-dialog.tsx';
import { HookRow } from './hook-row.tsx';
import classes from './hooks-page.module.css';
import { hooksQuery } from './hooks-query.ts';

/** The parked hook deliveries, which an operator can replay or drop. */
export function HooksPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.hooks'));
  const hooks = useInfiniteQuery(hooksQuery(useApi()));
  const [action, setAction] = useState<HookAction>();
  const first = hooks.data?.pages[0];
  const deliveries = hooks.data?.pages.flatMap((page) => page.deliveries) ?? [];

  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.hooks')}</h1>
      {hooks.error ? (
        <QueryFailure
          title={t('hooks.failed')}
          error={hooks.error}
          onRetry={() => void hooks.refetch()}
        />
      ) : null}
      {hooks.isPending ? <Skeleton height={240} radius={10} /> : null}
      {first && deliveries.length === 0 ? (
        <DataCard title={t('hooks.none')} note={t('hooks.noneNote')} />
      ) : null}
      {first && deliveries.length > 0 ? (
        <ServerClock time={first}>
          <DataCard title={t('hooks.parked')} note={t('hooks.note')}>
            <DataTable
              name={t('hooks.parked')}
              columns={[
                t('column.tenant'),
                t('hooks.hook'),
                t('hooks.lastError'),
                t('hooks.parkedFor'),
                t('column.actions'),
              ]}
            >
              {deliveries.map((delivery) => (
                <HookRow key={delivery.id} delivery={delivery} onAction={setAction} />
              ))}
            </DataTable>
            <OlderButton query={hooks} />
          </DataCard>
        </ServerClock>
      ) : null}
      {action ? <HookDialog chosen={action} onClose={() => setAction(undefined)} /> : null}
    </div>
  );
}
