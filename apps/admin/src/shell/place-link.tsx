import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFleet } from '../api/use-fleet.ts';
import { useOpenAlerts } from '../api/use-open-alerts.ts';
import { useFormats } from '../i18n/formats.ts';
import type { Place } from '../shared/places.ts';
import classes from './place-link.module.css';

/** A link to one page of the navigation. It is current for the pages below it, too. */
export function PlaceLink({ place, isCompact }: { place: Place; isCompact?: boolean }) {
  const { t } = useTranslation();
  const { to, name, icon: Icon } = place;
  return (
    <Link
      to={to}
      className={isCompact ? classes.compact : classes.link}
      activeOptions={{ exact: to === '/', includeSearch: false }}
    >
      <Icon size={18} aria-hidden="true" />
      <span className={classes.name}>{t(`nav.${name}`)}</span>
      {isCompact ? null : <PlaceCount name={name} />}
    </Link>
  );
}

/** The number of items on the page that need an operator; renders nothing for 0. */
function PlaceCount({ name }: Pick<Place, 'name'>) {
  const fleet = useFleet();
  const formats = useFormats();
  const counts: { [Name in Place['name']]?: number | undefined } = {
    installations: fleet?.groups.broken,
    hooks: fleet?.parkedHooks,
    alerts: useOpenAlerts(),
  };
  const count = counts[name];
  if (!count) return null;
  return (
    <span className={classes.count} data-tone={name === 'hooks' ? 'risk' : 'bad'}>
      {formats.count(count)}
    </span>
  );
}
