import { Button, Kbd } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogFoot } from '../shared/dialog.tsx';
import { areLettersOff, switchLetters } from '../shared/letter-keys.ts';
import { places } from '../shared/places.ts';
import classes from './key-list.module.css';

const pageKeys = [
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
] as const;

const helpKeys = [
  { keys: ['?'], name: 'help' },
  { keys: ['Esc'], name: 'escape' },
] as const;

/** All keys of the dashboard, and the switch for single letters. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [isOn, setIsOn] = useState(() => !areLettersOff());
  const describe = ({ keys, name }: (typeof pageKeys | typeof helpKeys)[number]) => ({
    keys,
    text: t(`keyList.${name}`),
  });
  const listed = [
    ...pageKeys.map(describe),
    ...places.map(({ letter, name }) => ({
      keys: ['g', letter],
      text: t('keyList.go', { page: t(`nav.${name}`) }),
    })),
    ...helpKeys.map(describe),
  ];

  function toggle(): void {
    switchLetters(!isOn);
    setIsOn(!areLettersOff());
  }

  return (
    <Dialog title={t('keyList.title')} onClose={onClose}>
      <dl className={classes.list}>
        {listed.map(({ keys, text }) => (
          <div key={text} className={classes.key}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{text}</dd>
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
