import type { Refusals, RefusedReason } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { canHelp, helpOf, nameReason } from '../shared/reason-looks.ts';
import { useMeaning } from '../shared/reason-sentence.tsx';
import classes from './refused-page.module.css';
import type { RefusedSearch } from './refused-search.ts';
import { RefusedTime } from './refused-time.tsx';

export interface ReasonsCardProps
  extends Pick<Refusals, 'reasons' | 'now'>,
    Pick<RefusedSearch, 'order'> {}

/** How often each reason was. Those where an operator can do something come first, then the most frequent. */
export function ReasonsCard({ reasons, now, order }: ReasonsCardProps) {
  const { t } = useTranslation();
  const shown = reasons.toSorted(
    (a, b) =>
      (order === 'count' ? 0 : Number(canHelp(b.reason)) - Number(canHelp(a.reason))) ||
      b.count - a.count,
  );
  return (
    <DataCard title={t('refused.reasons')} note={t('refused.reasonsNote')}>
      <div className={`${classes.compact} ${classes.reasons}`}>
        <DataTable
          name={t('refused.reasons')}
          columns={[t('refused.why'), t('refused.count'), t('refused.when'), t('refused.help')]}
        >
          {shown.map((each) => (
            <ReasonRow key={each.reason} refused={each} now={now} />
          ))}
        </DataTable>
      </div>
    </DataCard>
  );
}

function ReasonRow({ refused, now }: { refused: RefusedReason; now: number }) {
  const { t } = useTranslation();
  const { reason, count, firstAt, lastAt } = refused;
  const formats = useFormats();
  const meaning = useMeaning(reason);
  return (
    <tr data-tone={canHelp(reason) ? 'risk' : 'gone'}>
      <td>
        <span className={classes.why}>
          <span className={classes.dot} aria-hidden="true" />
          <span>
            <Link to="/refused" search={(before) => ({ ...before, reason })}>
              {nameReason(t, reason)}
            </Link>
            <code className={classes.note}>{reason}</code>
          </span>
        </span>
      </td>
      <td data-label={t('refused.count')} className={`numeric ${classes.number}`}>
        <strong>{formats.count(count)}</strong>
      </td>
      <td data-label={t('refused.when')} className={`numeric ${classes.when}`}>
        <RefusedTime at={firstAt} now={now} />
        <RefusedTime at={lastAt} now={now} />
      </td>
      <td className={classes.help}>
        {t(`refused.helps.${helpOf(reason)}`)}
        <span className={classes.note}>{meaning}</span>
      </td>
    </tr>
  );
}
