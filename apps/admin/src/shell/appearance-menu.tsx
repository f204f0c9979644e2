import MoonStar from 'lucide-react/icons/moon-star';
import { useTranslation } from 'react-i18next';
import { Popup } from '../shared/popup.tsx';
import { AppearanceChoices } from './appearance-choices.tsx';
import classes from './foot-button.module.css';

/** Opens the choice of colour scheme and language. */
export function AppearanceMenu() {
  const { t } = useTranslation();
  const button = (
    <>
      <MoonStar size={18} aria-hidden="true" />
      {t('shell.appearance')}
    </>
  );
  return (
    <Popup label={t('shell.appearance')} button={button} className={classes.button}>
      <AppearanceChoices />
    </Popup>
  );
}
