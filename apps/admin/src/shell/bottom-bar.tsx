import { useLocation } from '@tanstack/react-router';
import Menu from 'lucide-react/icons/menu';
import { useTranslation } from 'react-i18next';
import { places } from '../shared/places.ts';
import { Popup } from '../shared/popup.tsx';
import { AppearanceChoices } from './appearance-choices.tsx';
import classes from './bottom-bar.module.css';
import placeClasses from './place-link.module.css';
import { PlaceLink } from './place-link.tsx';
import { SignOutButton } from './sign-out-button.tsx';

const shownCount = 4;

/** The navigation of a phone: four pages, and a menu with the rest. */
export function BottomBar() {
  const { t } = useTranslation();
  const page = useLocation({ select: ({ pathname }) => pathname });
  const isAmongMore = places.slice(shownCount).some(({ to }) => page.startsWith(to));
  const more = (
    <>
      <Menu size={18} aria-hidden="true" />
      <span className={placeClasses.name}>{t('nav.more')}</span>
    </>
  );
  return (
    <nav className={classes.bar} aria-label={t('nav.main')}>
      {places.slice(0, shownCount).map((place) => (
        <PlaceLink key={place.to} place={place} isCompact />
      ))}
      <Popup
        label={t('nav.more')}
        button={more}
        className={`${placeClasses.compact} ${classes.more}`}
        isCurrent={isAmongMore}
      >
        {places.slice(shownCount).map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
        <AppearanceChoices />
        <SignOutButton />
      </Popup>
    </nav>
  );
}
