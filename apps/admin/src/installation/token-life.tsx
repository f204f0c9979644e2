import type { FleetDetail } from '@dowel/schema';
import { useTicking } from '../shared/ticker.tsx';
import classes from './answers.module.css';

/** How much of the access token's life is left, as a bar. The words beside it say the same. */
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
