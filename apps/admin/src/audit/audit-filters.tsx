import { auditResultSchema } from '@dowel/schema';
import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
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

  const type = (who: string) => {
    if (who.trim() !== (search.who ?? '')) choose({ who });
  };

  return (
    <div className={classes.filters}>
      <TextInput
        // A name that is chosen in the table replaces the typed one.
        key={search.who}
        className={classes.who ?? ''}
        aria-label={t('audit.who')}
        placeholder={t('audit.who')}
        defaultValue={search.who}
        onBlur={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') type(currentTarget.value);
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
