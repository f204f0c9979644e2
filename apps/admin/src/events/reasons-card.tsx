import type { Refusals, RefusedReason } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { canHelp, helpOf, nameReason } from '../shared/reason-looks.ts';
import { useMeaning } from '../shared/reason-sentence.tsx';
import { Segments } from '../shared/segments.tsx';
import classes from './events-page.module.css';
import {
  type EventsSearch,
  parseEventsSearch,
  reasonOrders,
  type SpanName,
  spans,
} from './events-search.ts';

export interface ReasonsCardProps {
  refusals: Refusals;
  span: SpanName;
  order: (typeof reasonOrders)[number];
  /** The reason that the list below shows; undefined: all. */
  chosen: string | undefined;
  choose: (change: EventsSearch) => void;
}

/** More are shown when they are wanted: the list of events is below. */
const shownFirst = 5;

/** How often each reason was. A click limits the list to its events. */
export function ReasonsCard({ refusals, span, order, chosen, choose }: ReasonsCardProps) {
  const { t } = useTranslation();
  const [isWhole, setIsWhole] = useState(false);
  const { reasons, now } = refusals;
  const tools = <ReasonChoices {...{ span, order, choose }} />;
  if (reasons.length === 0) {
    return <DataCard title={t(`events.none.${span}`)} note={t('events.noneNote')} tools={tools} />;
  }
  const sorted = reasons.toSorted(
    (a, b) =>
      (order === 'count' ? 0 : Number(canHelp(b.reason)) - Number(canHelp(a.reason))) ||
      b.count - a.count,
  );
  const shown = isWhole ? sorted : sorted.slice(0, shownFirst);
  const rest = reasons.length - shown.length;
  return (
    <DataCard title={t('events.reasons')} note={t('events.reasonsNote')} tools={tools}>
      <div className={`${classes.compact} ${classes.reasons}`}>
        <DataTable
          name={t('events.reasons')}
          columns={[t('events.why'), t('events.count'), t('events.when'), t('events.help')]}
        >
          {shown.map((each) => (
            <ReasonRow key={each.reason} refused={each} now={now} chosen={chosen} />
          ))}
        </DataTable>
      </div>
      {rest > 0 ? (
        <button type="button" className={classes.more} onClick={() => setIsWhole(true)}>
          {t('events.moreReasons', { count: rest })}
        </button>
      ) : null}
    </DataCard>
  );
}

const spanNames = Object.keys(spans) as SpanName[];

function ReasonChoices({
  span,
  order,
  choose,
}: Pick<ReasonsCardProps, 'span' | 'order' | 'choose'>) {
  const { t } = useTranslation();
  return (
    <div className={classes.choices}>
      <Segments
        label={t('events.reasonOrder')}
        value={order}
        onChange={(reasons) => choose({ reasons })}
        choices={reasonOrders.map((value) => ({
          value,
          label: t(`events.reasonOrders.${value}`),
        }))}
      />
      <Segments
        label={t('events.span')}
        value={span}
        onChange={(chosen) => choose({ span: chosen })}
        choices={spanNames.map((value) => ({ value, label: t(`events.spans.${value}`) }))}
      />
    </div>
  );
}

interface ReasonRowProps extends Pick<ReasonsCardProps, 'chosen'> {
  refused: RefusedReason;
  now: number;
}

function ReasonRow({ refused, now, chosen }: ReasonRowProps) {
  const { t } = useTranslation();
  const { reason, count, firstAt, lastAt } = refused;
  const formats = useFormats();
  const meaning = useMeaning(reason);
  const isChosen = reason === chosen;
  return (
    <tr data-tone={canHelp(reason) ? 'risk' : 'gone'} data-chosen={isChosen || undefined}>
      <td>
        <span className={classes.why}>
          <span className={classes.dot} aria-hidden="true" />
          <Link
            to="/events"
            search={(before) =>
              parseEventsSearch({ ...before, reason: isChosen ? undefined : reason })
            }
            aria-current={isChosen ? 'true' : undefined}
            title={reason}
          >
            {nameReason(t, reason)}
          </Link>
        </span>
      </td>
      <td className={`numeric ${classes.number}`}>
        <strong>{formats.count(count)}</strong>
      </td>
      <td data-label={t('events.when')} className={`numeric ${classes.when}`}>
        {[firstAt, lastAt].map((at, index) => (
          <time key={index} dateTime={new Date(at).toISOString()} title={formats.exact(at)}>
            {formats.recent(at, now)}
          </time>
        ))}
      </td>
      <td className={classes.help}>
        {t(`events.helps.${helpOf(reason)}`)}
        {isChosen && meaning !== undefined ? (
          <span className={classes.meaning}>{meaning}</span>
        ) : null}
      </td>
    </tr>
  );
}
