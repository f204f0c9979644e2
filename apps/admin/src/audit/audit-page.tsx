import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { OlderButton } from '../shared/older-button.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { AuditFilters } from './audit-filters.tsx';
import classes from './audit-page.module.css';
import { auditQuery } from './audit-query.ts';
import { AuditTable } from './audit-table.tsx';

/** Actions of operators: who, what, on what, why, from where, and the result. The newest first. */
export function AuditPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.audit'));
  const search = useSearch({ from: '/operator/audit' });
  const audit = useInfiniteQuery(auditQuery(useApi(), search));
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? [];

  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.audit')}</h1>
      <AuditFilters search={search} />
      {audit.error ? (
        <QueryFailure
          title={t('audit.failed')}
          error={audit.error}
          onRetry={() => void audit.refetch()}
        />
      ) : null}
      {audit.isPending ? <Skeleton height={240} radius={10} /> : null}
      {audit.data && entries.length === 0 ? (
        <p className="dimmed">{t(isFiltered ? 'audit.noMatch' : 'audit.none')}</p>
      ) : null}
      {entries.length > 0 ? <AuditTable entries={entries} /> : null}
      <OlderButton query={audit} />
    </div>
  );
}
