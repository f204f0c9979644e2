import type { FleetDetail } from '@dowel/admin-api';
import { useTicking } from '../shared/ticker.tsx';
import classes from './answers.module.css';

/** The remaining life of the access token, as a bar beside the same fact in words. */
export function TokenLife({ token }: { token: NonNullable<FleetDetail['token']> }) {
  const { issuedAt, expiresAt } = token;
  const percent = useTicking((now) =>
    expiresAt === null
      ? 100
      : Math.round(100 * Math.min(1, (expiresAt - now) / Math.max(1, expiresAt - issuedAt))),
  );
  return (
    <div className={classes.life} aria-hidden="true">
      <div style={{ width: `${Math.max(0, percent)}%` }} />
    </div>
  );
}
