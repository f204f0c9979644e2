import { Button, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

export interface HinderedButtonProps {
  /** Why it cannot be done, in words; undefined: it can. */
  hindrance: string | undefined;
  /** The name for screen readers if the words alone do not say on what it acts. */
  label?: string;
  isFirst?: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** A button that stays when it cannot be used, and then says why. It keeps the focus, so that all can read it. */
export function HinderedButton(props: HinderedButtonProps) {
  const { hindrance, label, isFirst = false, onClick, children } = props;
  return (
    <Tooltip
      label={hindrance ?? ''}
      disabled={hindrance === undefined}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Button
        size="xs"
        variant={isFirst && hindrance === undefined ? 'filled' : 'default'}
        aria-label={label}
        {...(hindrance === undefined ? {} : { 'data-disabled': true, 'aria-disabled': true })}
        onClick={() => {
          if (hindrance === undefined) onClick();
        }}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
