import { Skeleton } from '@mantine/core';
import classes from './installation-page.module.css';

const cards = ['a', 'b', 'c'];

export function InstallationSkeleton() {
  return (
    <div role="status" aria-label="Loading installation">
      <div className={classes.heading}>
        <Skeleton height={34} width={320} />
      </div>
      <div className={classes.cards}>
        {cards.map((key) => (
          <Skeleton key={key} height={220} radius={12} />
        ))}
      </div>
      <Skeleton height={320} radius={12} />
    </div>
  );
}
