import { Skeleton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { OlderButton } from '../shared/older-button.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './audit-page.module.css';
import { auditQuery } from './audit-query.ts';
import { AuditTable } from './audit-table.tsx';

const typingMs = 300;

/** Who did what, on what, why, from where, and what became of it; the newest first. */
export function AuditPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.audit'));
  const [text, setText] = useState('');
  const [who] = useDebouncedValue(text.trim(), typingMs);
  const audit = useInfiniteQuery(auditQuery(useApi(), who));
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? [];

  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.audit')}</h1>
      <TextInput
        className={classes.who ?? ''}
        aria-label={t('audit.who')}
        placeholder={t('audit.who')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {audit.error ? (
        <QueryFailure
          title={t('audit.failed')}
          error={audit.error}
          onRetry={() => void audit.refetch()}
        />
      ) : null}
      {audit.isPending ? <Skeleton height={240} radius={10} /> : null}
      {audit.data && entries.length === 0 ? <p className="dimmed">{t('audit.none')}</p> : null}
      {entries.length > 0 ? <AuditTable entries={entries} /> : null}
      <OlderButton query={audit} />
    </div>
  );
}
