import { Button } from '@mantine/core';
import { type ReactNode, useId, useRef } from 'react';
import classes from './hindered-button.module.css';
import { areLettersOff } from './letter-keys.ts';
import { type KeyMap, useKeys } from './use-keys.ts';

const noKeys: KeyMap = {};

export interface HinderedButtonProps {
  /** Why the action is impossible, in words; undefined: it is possible. */
  hindrance: string | undefined;
  /** The name for screen readers, if the button's text does not name the subject. */
  label?: string;
  isFirst?: boolean;
  /** The single key that presses it. If it cannot be used, the key shows why. */
  letter?: string | undefined;
  onClick: () => void;
  children: ReactNode;
}

/** A button that stays visible when its action is impossible, and shows why. It can still be focused. */
export function HinderedButton(props: HinderedButtonProps) {
  const { hindrance, label, isFirst = false, letter, onClick, children } = props;
  const button = useRef<HTMLButtonElement>(null);
  const words = useId();
  useKeys(letter === undefined ? noKeys : { [letter]: () => press(button.current) });
  return (
    <span className={classes.place}>
      <Button
        ref={button}
        className={classes.button ?? ''}
        aria-keyshortcuts={areLettersOff() ? undefined : letter}
        size="xs"
        variant={isFirst && hindrance === undefined ? 'filled' : 'default'}
        aria-label={label}
        {...(hindrance !== undefined && {
          'data-disabled': true,
          'aria-disabled': true,
          'aria-describedby': words,
        })}
        onClick={() => {
          if (hindrance === undefined) onClick();
        }}
      >
        {children}
      </Button>
      {hindrance === undefined ? null : (
        <span id={words} role="tooltip" className={classes.hindrance}>
          {hindrance}
        </span>
      )}
    </span>
  );
}

function press(button: HTMLButtonElement | null): void {
  button?.focus();
  button?.click();
}
