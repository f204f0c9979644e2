import { type FleetDetail, groupOf, stateOf } from '@dowel/admin-api';
import { useTicking } from '../shared/ticker.tsx';
import { AccessBar } from './access-bar.tsx';
import { ActionBar } from './action-bar.tsx';
import { Answers } from './answers.tsx';
import { CallsCard } from './calls-card.tsx';
import { DriftCard } from './drift-card.tsx';
import { IdentityCard } from './identity-card.tsx';
import { InstallationHeading } from './installation-heading.tsx';
import classes from './installation-page.module.css';
import { PlacesCard } from './places-card.tsx';
import { RefreshTimes } from './refresh-times.tsx';
import { ScopesCard } from './scopes-card.tsx';
import { TimelineCard } from './timeline-card.tsx';
import { findLoss } from './timeline-loss.tsx';
import { TokenCard } from './token-card.tsx';

export function InstallationDetails({ detail }: { detail: FleetDetail }) {
  const { installation } = detail;
  const state = useTicking((now) => stateOf(installation, now));
  const lostAt = useTicking((now) => findLoss(detail, now));
  const Chart = groupOf(state) === 'working' ? RefreshTimes : AccessBar;
  return (
    <>
      <div className={classes.top}>
        <InstallationHeading installation={installation} state={state} />
        <ActionBar detail={detail} state={state} />
      </div>
      <Answers detail={detail} state={state} />
      <div className={classes.columns}>
        <div className={classes.column}>
          {detail.token ? <Chart detail={detail} /> : null}
          <CallsCard id={installation.id} isFailing={state === 'calls_failing'} />
          <TimelineCard id={installation.id} lostAt={lostAt} />
        </div>
        <div className={classes.column}>
          <ScopesCard detail={detail} state={state} />
          <TokenCard detail={detail} />
          <IdentityCard detail={detail} />
          <PlacesCard detail={detail} />
          <DriftCard drift={detail.drift} />
        </div>
      </div>
    </>
  );
}
