import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './installations-page.module.css';

const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const cells = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

export function TableSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t('list.loading')} className={classes.skeleton}>
      {rows.map((row) => (
        <div key={row} className={classes.skeletonRow}>
          {cells.map((cell) => (
            <Skeleton key={cell} height={14} />
          ))}
        </div>
      ))}
    </div>
  );
}
