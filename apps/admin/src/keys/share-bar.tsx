import classes from './keys-page.module.css';

/** @param share from 0 to 1; anything above 0 is visible. */
export function ShareBar({ share, label }: { share: number; label: string }) {
  const width = share > 0 ? Math.max(1, Math.min(100, share * 100)) : 0;
  return (
    <svg className={classes.bar} role="img" aria-label={label} preserveAspectRatio="none">
      <rect className={classes.track} width="100%" height="6" rx="3" />
      <rect className={classes.fill} width={`${width}%`} height="6" rx="3" />
    </svg>
  );
}
