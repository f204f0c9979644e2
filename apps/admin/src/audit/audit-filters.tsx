import { auditResultSchema } from '@dowel/admin-api';
import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '../shared/segments.tsx';
import classes from './audit-page.module.css';
import { type AuditSearch, auditDays, parseAuditSearch } from './audit-search.ts';

/** Filters by operator, time and result. They are part of the address. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const choose = (change: Record<string, string>) =>
    void navigate({ to: '/audit', search: parseAuditSearch({ ...search, ...change }) });

  const { who = '' } = search;
  const [typed, setTyped] = useState({ text: who, of: who });
  // A name that is chosen in the table replaces the typed one.
  if (typed.of !== who) setTyped({ text: who, of: who });
  const chooseTyped = () => {
    if (typed.text.trim() !== who) choose({ who: typed.text });
  };

  return (
    <div className={classes.filters}>
      <TextInput
        className={classes.who ?? ''}
        aria-label={t('audit.who')}
        placeholder={t('audit.who')}
        value={typed.text}
        onChange={({ currentTarget }) => setTyped({ text: currentTarget.value, of: who })}
        onBlur={chooseTyped}
        onKeyDown={({ key }) => {
          if (key === 'Enter') chooseTyped();
        }}
      />
      <Segments
        label={t('audit.when')}
        value={search.days ?? 'any'}
        onChange={(days) => choose({ days })}
        choices={(['any', ...auditDays] as const).map((value) => ({
          value,
          label: t(`audit.days.${value}`),
        }))}
      />
      <NativeSelect
        aria-label={t('audit.result')}
        value={search.result ?? ''}
        onChange={({ currentTarget }) => choose({ result: currentTarget.value })}
        data={[
          { value: '', label: t('audit.anyResult') },
          ...auditResultSchema.options.map((value) => ({
            value,
            label: t(`audit.results.${value}`),
          })),
        ]}
      />
    </div>
  );
}
