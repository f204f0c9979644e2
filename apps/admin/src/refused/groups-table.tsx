import { listRefusalLines, type RefusalGroup, type Refusals, severalRefused } from '@dowel/schema';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import Download from 'lucide-react/icons/download';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/use-language.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { canHelp, helpOf, nameReason } from '../shared/reason-looks.ts';
import { useMeaning } from '../shared/reason-sentence.tsx';
import { saveCsv } from '../shared/save-csv.ts';
import classes from './refused-page.module.css';

export interface GroupsTableProps {
  refusals: Refusals;
  /** Undefined: all reasons. */
  reason: string | undefined;
}

/** The groups of refusals. Those where an operator can do something come first, then the latest. */
export function GroupsTable({ refusals, reason }: GroupsTableProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { groups, now, hasMore } = refusals;
  const shown = groups
    .filter((group) => reason === undefined || group.reason === reason)
    .toSorted(
      (a, b) => Number(canHelp(b.reason)) - Number(canHelp(a.reason)) || b.lastAt - a.lastAt,
    );
  return (
    <DataCard
      title={reason === undefined ? t('refused.groups') : nameReason(t, reason)}
      {...(hasMore ? { note: t('refused.more') } : {})}
      tools={
        <>
          {reason === undefined ? null : (
            <Link to="/refused" search={({ span }) => ({ span })}>
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
      <div className={classes.groups}>
        <DataTable
          name={t('refused.groups')}
          columns={[
            t('refused.why'),
            t('refused.issuer'),
            t('refused.from'),
            t('refused.count'),
            t('refused.when'),
            t('refused.help'),
          ]}
        >
          {shown.map((group) => (
            <GroupRow key={JSON.stringify(group)} group={group} now={now} />
          ))}
        </DataTable>
      </div>
      {shown.length === 0 ? <p className="dimmed">{t('refused.noneOfReason')}</p> : null}
    </DataCard>
  );
}

function GroupRow({ group, now }: { group: RefusalGroup; now: number }) {
  const { t } = useTranslation();
  const { reason, kind, issuer, sender, plugin, count, firstAt, lastAt } = group;
  const formats = useFormats();
  const meaning = useMeaning(reason);
  const time = (at: number) => (
    <time dateTime={new Date(at).toISOString()} title={formats.exact(at)}>
      {formats.recent(at, now)}
    </time>
  );
  return (
    <tr className={classes.group} data-tone={canHelp(reason) ? 'risk' : 'gone'}>
      <td>
        <span className={classes.why}>
          <span className={classes.dot} aria-hidden="true" />
          <span>
            <strong>{nameReason(t, reason)}</strong>
            <code className={classes.note}>{reason}</code>
          </span>
        </span>
      </td>
      <td data-label={t('refused.issuer')} className="breakable">
        <Claimed text={issuer} none={t('refused.noIssuer')} />
        {plugin ? <span className={classes.note}>{t('refused.toPlugin', { plugin })}</span> : null}
      </td>
      <td data-label={t('refused.from')} className={classes.from}>
        <Claimed text={sender} none="" />
        <span className={classes.note}>{t(`refused.kind.${kind}`)}</span>
      </td>
      <td data-label={t('refused.count')} className={`numeric ${classes.number}`}>
        <strong>{formats.count(count)}</strong>
      </td>
      <td data-label={t('refused.when')} className={`numeric ${classes.when}`}>
        {time(firstAt)}
        {time(lastAt)}
      </td>
      <td className={classes.help}>
        {t(`refused.helps.${helpOf(reason)}`)}
        <span className={classes.note}>{meaning}</span>
      </td>
    </tr>
  );
}

/** An unverified value, or a text for none or several. */
function Claimed({ text, none }: { text: string; none: string }) {
  const { t } = useTranslation();
  if (text === '') return <span className="dimmed">{none}</span>;
  if (text === severalRefused) return <span className="dimmed">{t('refused.several')}</span>;
  return <code>{text}</code>;
}
