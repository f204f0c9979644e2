import { Skeleton } from '@mantine/core';
import classes from './charts.module.css';
import page from './overview-page.module.css';

/** Takes the room of the small charts until they are loaded. */
export function RatesRoom() {
  return (
    <div className={page.rates} aria-hidden="true">
      {['calls', 'times', 'success', 'refreshes', 'rejected'].map((chart) => (
        <Skeleton key={chart} className={classes.rateRoom ?? ''} radius={10} />
      ))}
    </div>
  );
}
