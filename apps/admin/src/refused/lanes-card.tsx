import type { Refusals } from '@dowel/schema';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { BarLane } from '../charts/bar-lane.tsx';
import { ChartCard, type ChartTable } from '../charts/chart-card.tsx';
import { TimeLabels } from '../charts/time-labels.tsx';
import { type Formats, useFormats } from '../i18n/formats.ts';
import { nameReason } from '../shared/reason-looks.ts';
import { findLanes, type Lane } from './find-lanes.ts';
import classes from './refused-page.module.css';

interface NamedLane extends Lane {
  name: string;
}

/** One lane of bars over time for each reason. */
export function LanesCard({ refusals }: { refusals: Refusals }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const lanes = findLanes(refusals.reasons).map((lane) => ({
    ...lane,
    name: lane.reason === null ? t('refused.others') : nameReason(t, lane.reason),
  }));
  return (
    <ChartCard
      title={t('refused.chart')}
      note={t('refused.chartNote', { age: formats.age(refusals.barMs) })}
      table={listBars(formats, lanes, refusals)}
    >
      {lanes.map((lane) => (
        <LaneRow key={lane.reason ?? ''} lane={lane} refusals={refusals} />
      ))}
      <div className={classes.axis}>
        <TimeLabels span={refusals} />
      </div>
    </ChartCard>
  );
}

/** The bars as numbers, the latest first. Times without a refusal are left out. */
function listBars(
  formats: Formats,
  lanes: readonly NamedLane[],
  { from, barMs }: Refusals,
): ChartTable {
  const bars = [...(lanes[0]?.counts.keys() ?? [])]
    .filter((index) => lanes.some(({ counts }) => counts[index]))
    .toReversed();
  return {
    columns: lanes.map(({ name }) => name),
    rows: bars.map((index) => ({
      time: formats.moment(from + index * barMs),
      cells: lanes.map(({ counts }) => formats.count(counts[index] ?? 0)),
    })),
  };
}

function LaneRow({ lane, refusals }: { lane: NamedLane; refusals: Refusals }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { reason, name, counts, total, isActionable } = lane;
  const { from, barMs } = refusals;
  const highest = Math.max(...counts);
  const peakAt = from + counts.indexOf(highest) * barMs;
  return (
    <div className={classes.lane} data-tone={isActionable ? 'risk' : 'gone'}>
      <div className={classes.laneName}>
        <span className={classes.dot} aria-hidden="true" />
        {reason === null ? (
          <span>{name}</span>
        ) : (
          <Link to="/refused" search={(before) => ({ ...before, reason })} title={reason}>
            {name}
          </Link>
        )}
        <strong className="numeric">{formats.count(total)}</strong>
      </div>
      <BarLane
        name={t('refused.lane', {
          name,
          total: formats.count(total),
          highest: formats.count(highest),
          from: formats.moment(peakAt),
          to: formats.clock(peakAt + barMs),
        })}
        counts={counts}
        describe={(index) =>
          t('refused.bar', {
            from: formats.moment(from + index * barMs),
            to: formats.clock(from + (index + 1) * barMs),
            n: formats.count(counts[index] ?? 0),
          })
        }
      />
    </div>
  );
}
