import { Button } from '@mantine/core';
import { useState } from 'react';
import { FactCard } from './fact-card.tsx';
import classes from './instances-card.module.css';

const shownCount = 6;

export interface InstancesCardProps {
  instanceIds: string[];
  /** An uninstalled plug-in shows its former instances. */
  isUninstalled: boolean;
}

export function InstancesCard({ instanceIds, isUninstalled }: InstancesCardProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? instanceIds : instanceIds.slice(0, shownCount);
  return (
    <FactCard title={`Instances (${instanceIds.length})`}>
      {isUninstalled && instanceIds.length > 0 ? (
        <p className={classes.none}>
          As they were at the uninstall. If the platform installs the plug-in again within 30 days,
          it finds them here.
        </p>
      ) : null}
      {instanceIds.length === 0 ? (
        <p className={classes.none}>
          No widget is placed yet. Each place where people put the plug-in counts as one instance.
        </p>
      ) : null}
      <ul className={`reset-list ${classes.list}`}>
        {shown.map((id) => (
          <li key={id} className="mono breakable">
            {id}
          </li>
        ))}
      </ul>
      {shown.length < instanceIds.length ? (
        <Button variant="default" size="xs" mt="sm" onClick={() => setIsWhole(true)}>
          Show all {instanceIds.length}
        </Button>
      ) : null}
    </FactCard>
  );
}
