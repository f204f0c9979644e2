import { Button } from '@mantine/core';
import classes from './installation-table.module.css';

export interface LoadMoreProps {
  shownCount: number;
  isLoading: boolean;
  onLoad: () => void;
}

/** Stays in place while it loads, so that it keeps the keyboard focus. */
export function LoadMore({ shownCount, isLoading, onLoad }: LoadMoreProps) {
  return (
    <div className={classes.more}>
      <Button
        variant="default"
        aria-disabled={isLoading || undefined}
        onClick={isLoading ? undefined : onLoad}
      >
        {isLoading ? 'Loading…' : 'Load more'}
      </Button>
      <span role="status" className={classes.when}>
        {shownCount.toLocaleString('en')} shown
      </span>
    </div>
  );
}
