import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePluginName } from '../api/use-plugin-name.ts';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { AppearanceMenu } from './appearance-menu.tsx';
import { PlaceLink } from './place-link.tsx';
import { places } from './places.ts';
import classes from './sidebar.module.css';
import { SignOutButton } from './sign-out-button.tsx';

export function Sidebar() {
  const { t } = useTranslation();
  return (
    <aside className={classes.sidebar} aria-label={t('nav.side')}>
      <Link to="/" className={classes.brand} activeProps={{ 'aria-current': undefined }}>
        <DowelMark size={30} />
        <span className={classes.names}>
          <span className={classes.name}>Dowel</span>
          <span className={classes.plugin}>{usePluginName()}</span>
        </span>
      </Link>
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
        <SignOutButton />
      </div>
    </aside>
  );
}
