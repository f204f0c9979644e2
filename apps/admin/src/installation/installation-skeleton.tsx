import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './installation-page.module.css';

export function InstallationSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t('detail.loading')}>
      <div className={classes.heading}>
        <Skeleton height={28} width={320} />
      </div>
      <Skeleton height={118} radius={10} mb={16} />
      <div className={classes.columns}>
        <Skeleton height={420} radius={10} />
        <Skeleton height={320} radius={10} />
      </div>
    </div>
  );
}
