import { auditedActions, auditResultSchema } from '@dowel/admin-api';
import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '../shared/segments.tsx';
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
        label={t('audit.who')}
        chosen={search.who ?? ''}
        choose={(who) => choose({ who })}
      />
      <TypedFilter
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

/** A typed text counts after Enter. */
function TypedFilter({
  label,
  chosen,
  choose,
}: {
  label: string;
  chosen: string;
  choose: (text: string) => void;
}) {
  const [typed, setTyped] = useState({ text: chosen, of: chosen });
  // What is chosen elsewhere, such as in the table, replaces the typed text.
  if (typed.of !== chosen) setTyped({ text: chosen, of: chosen });
  const chooseTyped = () => {
    if (typed.text.trim() !== chosen) choose(typed.text);
  };
  return (
    <TextInput
      className={classes.typed ?? ''}
      aria-label={label}
      placeholder={label}
      value={typed.text}
      onChange={({ currentTarget }) => setTyped({ text: currentTarget.value, of: chosen })}
      onBlur={chooseTyped}
      onKeyDown={({ key }) => {
        if (key === 'Enter') chooseTyped();
      }}
    />
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
      <TextInput
        type="date"
        aria-label={t('audit.firstDay')}
        title={t('audit.firstDay')}
        value={from}
        max={to || undefined}
        onChange={({ currentTarget }) => choose({ days: '', from: currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={t('audit.lastDay')}
        title={t('audit.lastDay')}
        value={to}
        min={from || undefined}
        onChange={({ currentTarget }) => choose({ days: '', to: currentTarget.value })}
      />
    </>
  );
}
