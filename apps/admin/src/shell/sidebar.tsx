import { useTranslation } from 'react-i18next';
import { useFleet } from '../api/use-fleet.ts';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { places } from '../shared/places.ts';
import { AppearanceMenu } from './appearance-menu.tsx';
import { PasswordButton } from './password-button.tsx';
import { Person } from './person.tsx';
import { PlaceLink } from './place-link.tsx';
import classes from './sidebar.module.css';
import { SignOutButton } from './sign-out-button.tsx';

export function Sidebar() {
  const { t } = useTranslation();
  return (
    <aside className={classes.sidebar} aria-label={t('nav.side')}>
      <div className={classes.brand}>
        <DowelMark size={30} />
        <span className={classes.names}>
          <span className={classes.name}>Dowel</span>
          <span className={classes.plugin}>{useFleet()?.pluginName}</span>
        </span>
      </div>
      <nav aria-label={t('nav.main')}>
        <ul className={`reset-list ${classes.places}`}>
          {places.map((place) => (
            <li key={place.to}>
              <PlaceLink place={place} />
            </li>
          ))}
        </ul>
      </nav>
      <div className={classes.foot}>
        <AppearanceMenu />
        <PasswordButton />
        <SignOutButton />
        <Person />
      </div>
    </aside>
  );
}
