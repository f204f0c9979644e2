import { Kbd } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import Search from 'lucide-react/icons/search';
import { useTranslation } from 'react-i18next';
import classes from './palette-button.module.css';

export function PaletteButton() {
  const { t } = useTranslation();
  return (
    <button type="button" className={classes.button} onClick={() => spotlight.open()}>
      <Search size={16} aria-hidden="true" />
      <span className={classes.words}>{t('palette.open')}</span>
      <Kbd size="xs" className={classes.keys ?? ''}>
        Ctrl K
      </Kbd>
    </button>
  );
}
