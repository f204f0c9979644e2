import type { InstallationCounts } from '@dowel/schema';
import { formatCount, isCapped } from '../shared/format-count.ts';
import classes from './installations-page.module.css';

export function InstallationFigures({ counts }: { counts: InstallationCounts }) {
  const { pending, active, awaiting_event: awaiting, uninstalled, attention } = counts;
  const lives = [pending, active, awaiting];
  const present = lives.some(isCapped)
    ? formatCount(Math.max(...lives))
    : formatCount(pending + active + awaiting);

  return (
    <dl className={classes.figures}>
      <Figure
        name="Installations"
        value={present}
        note={
          uninstalled === 0 ? 'none uninstalled' : `and ${formatCount(uninstalled)} uninstalled`
        }
      />
      <Figure name="With access" value={formatCount(active)} note={`of ${present}`} />
      <Figure
        name="Need attention"
        value={formatCount(attention)}
        note="pending, awaiting or failing"
        isBad={attention > 0}
      />
      <Figure
        name="Recent failures"
        value={formatCount(counts.recentlyFailed)}
        note="with an error in the last 24 h"
      />
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: string;
  note: string;
  isBad?: boolean;
}

function Figure({ name, value, note, isBad = false }: FigureProps) {
  return (
    <div className={`card ${classes.figure}`}>
      <dt>{name}</dt>
      <dd className={classes.value} data-tone={isBad ? 'bad' : undefined}>
        {value}
      </dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}
