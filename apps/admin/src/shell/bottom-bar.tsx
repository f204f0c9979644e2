import { Popover } from '@mantine/core';
import Menu from 'lucide-react/icons/menu';
import { useTranslation } from 'react-i18next';
import { places } from '../shared/places.ts';
import { AppearanceChoices } from './appearance-choices.tsx';
import classes from './bottom-bar.module.css';
import placeClasses from './place-link.module.css';
import { PlaceLink } from './place-link.tsx';
import { SignOutButton } from './sign-out-button.tsx';

const shownCount = 4;

/** The navigation of a phone: four pages, and a menu with the rest. */
export function BottomBar() {
  const { t } = useTranslation();
  return (
    <nav className={classes.bar} aria-label={t('nav.main')}>
      {places.slice(0, shownCount).map((place) => (
        <PlaceLink key={place.to} place={place} isCompact />
      ))}
      <Popover position="top-end" shadow="md" width={280} trapFocus returnFocus>
        <Popover.Target>
          <button type="button" className={`${placeClasses.compact} ${classes.more}`}>
            <Menu size={18} aria-hidden="true" />
            <span className={placeClasses.name}>{t('nav.more')}</span>
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('nav.more')}>
          {places.slice(shownCount).map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
          <AppearanceChoices />
          <SignOutButton />
        </Popover.Dropdown>
      </Popover>
    </nav>
  );
}
