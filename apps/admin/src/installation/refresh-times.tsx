import type { FleetDetail } from '@dowel/admin-api';
import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { timelineQuery } from '../api/queries.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { boxHeight } from '../charts/paths.ts';
import plot from '../charts/plot.module.css';
import { Plot } from '../charts/plot.tsx';
import { countScale, heightOf } from '../charts/scale.ts';
import { shareOf } from '../charts/time-axis.ts';
import { useFormats } from '../i18n/formats.ts';
import { AccessBar } from './access-bar.tsx';

/** The width of the drawing. Every line stands at its own time. */
const width = 1_000;

/** How long the newest refreshes took. With too few of them: the access of the last days. */
export function RefreshTimes({ detail }: { detail: FleetDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const query = timelineQuery(useApi(), detail.installation.id, 'refresh');
  const { data, isPending } = useInfiniteQuery(query);
  const times = (data?.pages[0]?.entries ?? []).flatMap(({ at, kind, entry }) =>
    kind === 'refresh' && entry.operation === 'refresh' && entry.succeeded
      ? [{ at, ms: entry.durationMs }]
      : [],
  );
  if (isPending) return <Skeleton height={150} radius={10} />;
  const [newest, ...older] = times;
  const oldest = older.at(-1);
  if (!newest || !oldest) return <AccessBar detail={detail} />;
  const all = times.map(({ ms }) => ms);
  const scale = countScale(all);
  const span = { from: oldest.at, to: Math.max(detail.now, newest.at + 1) };
  const min = formats.duration(Math.min(...all));
  const max = formats.duration(Math.max(...all));
  const title = t('refreshTimes.title');
  const rows = times.map(({ at, ms }) => ({
    time: formats.exact(at),
    cells: [formats.duration(ms)],
  }));
  return (
    <ChartCard
      title={title}
      figure={formats.duration(newest.ms)}
      table={{ columns: [title], rows }}
    >
      <Plot
        name={t('refreshTimes.name', { count: times.length, min, max })}
        span={span}
        steps={width}
        height={76}
        scale={scale}
        format={formats.duration}
      >
        <path
          data-tone="ok"
          className={plot.stroke}
          d={times
            .map(({ at, ms }) => {
              const top = boxHeight * (1 - heightOf(scale, ms));
              return `M${shareOf(span, at) * width} ${boxHeight}V${top}`;
            })
            .join('')}
        />
      </Plot>
    </ChartCard>
  );
}
