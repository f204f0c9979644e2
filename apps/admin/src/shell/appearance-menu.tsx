import { Popover } from '@mantine/core';
import MoonStar from 'lucide-react/icons/moon-star';
import { useTranslation } from 'react-i18next';
import { AppearanceChoices } from './appearance-choices.tsx';
import classes from './foot-button.module.css';

/** Opens the choice of colour scheme and language. */
export function AppearanceMenu() {
  const { t } = useTranslation();
  return (
    <Popover position="top-start" shadow="md" width={264} trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className={classes.button}>
          <MoonStar size={18} aria-hidden="true" />
          {t('shell.appearance')}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('shell.appearance')}>
        <AppearanceChoices />
      </Popover.Dropdown>
    </Popover>
  );
}
