import { Button, Kbd } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogFoot } from '../shared/dialog.tsx';
import { areLettersOff, switchLetters } from '../shared/letter-keys.ts';
import classes from './key-list.module.css';

const keys = [
  { keys: ['Ctrl', 'K'], name: 'palette' },
  { keys: ['/'], name: 'search' },
  { keys: ['j', 'k'], name: 'move' },
  { keys: ['x'], name: 'select' },
  { keys: ['Shift', 'x'], name: 'range' },
  { keys: ['Enter'], name: 'open' },
  { keys: ['u'], name: 'back' },
  { keys: ['[', ']'], name: 'neighbours' },
  { keys: ['e'], name: 'ask' },
  { keys: ['r'], name: 'refresh' },
  { keys: ['t'], name: 'test' },
  { keys: ['p'], name: 'pause' },
  { keys: ['g', 'o'], name: 'goOverview' },
  { keys: ['g', 'i'], name: 'goInstallations' },
  { keys: ['g', 'e'], name: 'goEvents' },
  { keys: ['g', 'h'], name: 'goHooks' },
  { keys: ['g', 'l'], name: 'goAlerts' },
  { keys: ['g', 'k'], name: 'goKeys' },
  { keys: ['g', 'a'], name: 'goAudit' },
  { keys: ['g', 'p'], name: 'goPeople' },
  { keys: ['g', 's'], name: 'goSettings' },
  { keys: ['?'], name: 'help' },
  { keys: ['Esc'], name: 'escape' },
] as const;

/** All keys of the dashboard, and the switch for single letters. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [isOn, setIsOn] = useState(() => !areLettersOff());

  function toggle(): void {
    switchLetters(!isOn);
    setIsOn(!areLettersOff());
  }

  return (
    <Dialog title={t('keyList.title')} onClose={onClose}>
      <dl className={classes.list}>
        {keys.map(({ keys: each, name }) => (
          <div key={name} className={classes.key}>
            <dt>
              {each.map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{t(`keyList.${name}`)}</dd>
          </div>
        ))}
      </dl>
      <label className={classes.letters}>
        <input type="checkbox" checked={isOn} onChange={toggle} />
        {t('keyList.letters')}
      </label>
      <DialogFoot>
        <Button variant="default" size="sm" onClick={onClose}>
          {t('dialog.close')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
