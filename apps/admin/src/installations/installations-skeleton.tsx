import { Skeleton } from '@mantine/core';
import classes from './installations-page.module.css';

const figures = ['a', 'b', 'c', 'd'];
const rows = ['a', 'b', 'c', 'd', 'e', 'f'];

export function InstallationsSkeleton() {
  return (
    <div role="status" aria-label="Loading installations">
      <div className={classes.figures}>
        {figures.map((key) => (
          <Skeleton key={key} height={104} radius={12} />
        ))}
      </div>
      <div className={classes.skeletons}>
        <Skeleton height={36} width="60%" />
        {rows.map((key) => (
          <Skeleton key={key} height={56} />
        ))}
      </div>
    </div>
  );
}

/** Shown instead of the table while the server searches. */
export function RowSkeletons() {
  return (
    <div role="status" aria-label="Searching" className={classes.skeletons}>
      {rows.map((key) => (
        <Skeleton key={key} height={56} />
      ))}
    </div>
  );
}
