import { Skeleton } from '@mantine/core';
import { groups } from '../states/state-looks.ts';
import charts from './charts.module.css';
import page from './overview-page.module.css';
import { RatesRoom } from './rates-room.tsx';

/** Takes the room of the page until it is loaded, so that nothing moves. */
export function OverviewSkeleton() {
  return (
    <>
      <Skeleton className={page.verdictRoom ?? ''} radius={10} />
      <div className={`card ${page.figures}`}>
        {groups.map((group) => (
          <div key={group} className={`${page.figure} ${page.figureRoom}`}>
            <Skeleton height={14} width={90} />
            <Skeleton height={24} width={60} />
            <Skeleton height={12} />
          </div>
        ))}
      </div>
      <div className={page.columns}>
        <Skeleton className={charts.room ?? ''} radius={10} />
        <Skeleton radius={10} />
      </div>
      <RatesRoom />
    </>
  );
}
