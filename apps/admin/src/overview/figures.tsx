import type { Fleet, FleetSeries, StateGroup } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Sparkline } from '../charts/sparkline.tsx';
import { useFormats } from '../i18n/formats.ts';
import chips from '../shared/chips.module.css';
import { countInstalled } from '../states/count-all.ts';
import { groupRoles, groups } from '../states/state-looks.ts';
import classes from './overview-page.module.css';
import { anHourAgo } from './series-steps.ts';

export interface FiguresProps {
  fleet: Fleet;
  /** Undefined until it is loaded. */
  series: FleetSeries | undefined;
}

/** The number of installations in each group of states, now and over time. */
export function Figures({ fleet, series }: FiguresProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const all = formats.count(countInstalled(fleet));
  const change = (group: StateGroup) => {
    const before = series && anHourAgo(series, series.groups[group]);
    const by = before === undefined ? 0 : fleet.groups[group] - Math.round(before);
    return by === 0 ? undefined : t('charts.withinHour', { number: formats.signed(by) });
  };
  const notes: Partial<Record<StateGroup, string>> = {
    broken: change('broken') ?? t('overview.ofAll', { all }),
    risk: change('risk') ?? '',
    working: t('overview.activeIdle', {
      active: formats.count(fleet.states.active),
      idle: formats.count(fleet.states.idle),
    }),
    uninstalled: t('overview.kept'),
  };
  return (
    <nav className={`card ${classes.figures}`} aria-label={t('overview.states')}>
      {groups.map((group) => (
        <Link key={group} to="/installations" search={{ group }} className={classes.figure}>
          <span className={classes.figureName}>
            <span className={chips.dot} data-tone={groupRoles[group]} aria-hidden="true" />
            {t(`group.${group}`)}
          </span>
          <span className={classes.value}>{formats.count(fleet.groups[group])}</span>
          <span className={classes.note}>{notes[group]}</span>
          <span className={classes.spark} data-tone={groupRoles[group]}>
            {series ? <Sparkline values={series.groups[group]} /> : null}
          </span>
        </Link>
      ))}
    </nav>
  );
}
