import { auditedActions, auditResultSchema } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Segments } from '../shared/segments.tsx';
import { TypedFilter } from '../shared/typed-filter.tsx';
import classes from './audit-page.module.css';
import { type AuditSearch, auditDays, parseAuditSearch } from './audit-search.ts';

interface FilterProps {
  search: AuditSearch;
  choose: (change: Record<string, string>) => void;
}

/** Filters by operator, action, installation, time and result. They are part of the address. */
export function AuditFilters({ search }: Pick<FilterProps, 'search'>) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const choose = (change: Record<string, string>) =>
    void navigate({ to: '/audit', search: parseAuditSearch({ ...search, ...change }) });

  return (
    <div className={classes.filters}>
      <TypedFilter
        className={classes.typed ?? ''}
        label={t('audit.who')}
        chosen={search.who ?? ''}
        choose={(who) => choose({ who })}
      />
      <TypedFilter
        className={classes.typed ?? ''}
        label={t('audit.installation')}
        chosen={search.installation ?? ''}
        choose={(installation) => choose({ installation })}
      />
      <TimeFilter search={search} choose={choose} />
      <NativeSelect
        aria-label={t('audit.byAction')}
        value={search.action ?? ''}
        onChange={({ currentTarget }) => choose({ action: currentTarget.value })}
        data={[
          { value: '', label: t('audit.anyAction') },
          ...auditedActions.map((value) => ({ value, label: t(`audit.actions.${value}`) })),
        ]}
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

/** Either usual days, or a first and a last one. */
function TimeFilter({ search, choose }: FilterProps) {
  const { t } = useTranslation();
  const { days, from = '', to = '' } = search;
  return (
    <>
      <Segments
        label={t('audit.when')}
        value={days ?? (from || to ? 'chosen' : 'any')}
        onChange={(chosen) => choose({ days: chosen, from: '', to: '' })}
        choices={(['any', ...auditDays] as const).map((value) => ({
          value,
          label: t(`audit.days.${value}`),
        }))}
      />
      <TypedFilter
        type="date"
        label={t('audit.firstDay')}
        chosen={from}
        choose={(day) => choose({ days: '', from: day })}
        max={to || undefined}
      />
      <TypedFilter
        type="date"
        label={t('audit.lastDay')}
        chosen={to}
        choose={(day) => choose({ days: '', to: day })}
        min={from || undefined}
      />
    </>
  );
}
