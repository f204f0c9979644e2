import type { Refusals } from '@dowel/schema';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BarLane } from '../charts/bar-lane.tsx';
import { TimeLabels } from '../charts/time-labels.tsx';
import { useFormats } from '../i18n/formats.ts';
import { DataCard } from '../shared/data-table.tsx';
import { findLanes, type Lane } from './find-lanes.ts';
import { LanesTable } from './lanes-table.tsx';
import { nameReason } from './reason-looks.ts';
import classes from './refused-page.module.css';

/** When each reason occurred, a lane of bars for each. A button shows the same as a table. */
export function LanesCard({ refusals }: { refusals: Refusals }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [isTable, setIsTable] = useState(false);
  const lanes = findLanes(refusals.reasons);
  return (
    <DataCard
      title={t('refused.chart')}
      note={t('refused.chartNote', { age: formats.age(refusals.barMs) })}
    >
      <div className={classes.chart}>
        {isTable ? (
          <LanesTable lanes={lanes} refusals={refusals} />
        ) : (
          <>
            {lanes.map((lane) => (
              <LaneRow key={lane.reason ?? ''} lane={lane} refusals={refusals} />
            ))}
            <div className={classes.axis}>
              <TimeLabels span={refusals} />
            </div>
          </>
        )}
      </div>
      <Button
        variant="default"
        size="compact-sm"
        className={classes.toggle ?? ''}
        onClick={() => setIsTable(!isTable)}
      >
        {t(isTable ? 'refused.asChart' : 'refused.asTable')}
      </Button>
    </DataCard>
  );
}

function LaneRow({ lane, refusals }: { lane: Lane; refusals: Refusals }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { reason, counts, total, isActionable } = lane;
  const { from, barMs } = refusals;
  const name = reason === null ? t('refused.others') : nameReason(t, reason);
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
