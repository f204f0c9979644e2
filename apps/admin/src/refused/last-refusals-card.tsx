import { listRefusalLines, type Refusals } from '@dowel/admin-api';
import { Button, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import Download from 'lucide-react/icons/download';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../i18n/use-language.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { nameReason } from '../shared/reason-looks.ts';
import { saveCsv } from '../shared/save-csv.ts';
import classes from './refused-page.module.css';
import type { RefusedSearch } from './refused-search.ts';
import { RefusedTime } from './refused-time.tsx';

export interface LastRefusalsCardProps extends Pick<RefusedSearch, 'order'> {
  refusals: Refusals;
  /** Undefined: all reasons. */
  reason: string | undefined;
}

/** The last refusals: the latest first, or those of the most frequent reason. */
export function LastRefusalsCard({ refusals, reason, order }: LastRefusalsCardProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { now } = refusals;
  const shown = listShown(refusals, order).filter(
    (each) => reason === undefined || each.reason === reason,
  );
  const title = reason === undefined ? t('refused.last') : nameReason(t, reason);
  return (
    <DataCard
      title={title}
      note={t('refused.lastNote')}
      tools={
        <>
          {reason === undefined ? null : (
            <Link to="/refused" search={(before) => ({ ...before, reason: undefined })}>
              {t('refused.showAll')}
            </Link>
          )}
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<Download size={13} aria-hidden="true" />}
            aria-label={t('list.export', { format: 'CSV' })}
            onClick={() => saveCsv('refused.csv', listRefusalLines(shown, language))}
          >
            CSV
          </Button>
        </>
      }
    >
      <VisuallyHidden aria-live="polite">{t('refused.shown', { title })}</VisuallyHidden>
      <div className={`${classes.compact} ${classes.last}`}>
        <DataTable
          name={t('refused.last')}
          columns={[t('refused.at'), t('refused.why'), t('refused.issuer'), t('refused.from')]}
        >
          {shown.map((each) => (
            <RefusalRow key={JSON.stringify(each)} refusal={each} now={now} />
          ))}
        </DataTable>
      </div>
    </DataCard>
  );
}

interface RefusalRowProps extends Pick<Refusals, 'now'> {
  refusal: Refusals['last'][number];
}

function RefusalRow({ refusal, now }: RefusalRowProps) {
  const { t } = useTranslation();
  return (
    <tr>
      <td>
        <RefusedTime at={refusal.at} now={now} />
      </td>
      <td data-label={t('refused.why')}>{nameReason(t, refusal.reason)}</td>
      <td data-label={t('refused.issuer')} className="breakable">
        {refusal.issuer ? (
          <code>{refusal.issuer}</code>
        ) : (
          <span className="dimmed">{t('refused.noIssuer')}</span>
        )}
        {refusal.plugin ? (
          <span className={classes.note}>{t('refused.toPlugin', { plugin: refusal.plugin })}</span>
        ) : null}
      </td>
      <td data-label={t('refused.from')} className="breakable">
        <code>{refusal.sender}</code>
        <span className={classes.note}>{t(`refused.kind.${refusal.kind}`)}</span>
      </td>
    </tr>
  );
}

function listShown({ last, reasons }: Refusals, order: RefusedSearch['order']) {
  if (order !== 'count') return last;
  const counts = new Map(reasons.map(({ reason, count }) => [reason, count]));
  return last.toSorted((a, b) => (counts.get(b.reason) ?? 0) - (counts.get(a.reason) ?? 0));
}
