import type { Fleet, StateGroup } from '@dowel/schema';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import chips from '../shared/chips.module.css';
import { countAll } from '../states/count-all.ts';
import { groupRoles, groups } from '../states/state-looks.ts';
import classes from './overview-page.module.css';

/** How many installations are in each group of states. */
export function Figures({ fleet }: { fleet: Fleet }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const all = formats.count(countAll(fleet));
  const notes: Partial<Record<StateGroup, string>> = {
    broken: t('overview.ofAll', { all }),
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
        </Link>
      ))}
    </nav>
  );
}
