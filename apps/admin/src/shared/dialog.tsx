import { Modal } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import classes from './dialog.module.css';

export interface DialogProps {
  title: string;
  /** The subject, shown below the title. */
  about?: string;
  /** The greatest width, in pixels. Default: 500. */
  size?: number;
  /** True: only a button closes it. */
  isBusy?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The frame of every dialog. Escape and a press beside it close it. */
export function Dialog({
  title,
  about,
  size = 500,
  isBusy = false,
  onClose,
  children,
}: DialogProps) {
  useFocusReturn();
  return (
    <Modal
      opened
      size={size}
      onClose={onClose}
      closeOnEscape={!isBusy}
      closeOnClickOutside={!isBusy}
      withCloseButton={false}
      lockScroll={false}
      attributes={{ content: { 'aria-label': title } }}
      transitionProps={{ duration: 0 }}
    >
      <div className={classes.dialog}>
        <div>
          <h2 className={classes.title}>{title}</h2>
          {about === undefined ? null : <p className={classes.about}>{about}</p>}
        </div>
        {children}
      </div>
    </Modal>
  );
}

/**
 * Gives the focus back at the end of a dialog: to what had it before, or, if that is gone, to the page. Mantine does so
 * only for a dialog that stays mounted.
 */
function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(
    () => () => {
      const isLeft = opener === null || opener === document.body || !opener.isConnected;
      const target = isLeft ? document.getElementById('main') : opener;
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    },
    [opener],
  );
}

/** The buttons of a {@link Dialog}, the one that does something last. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={classes.foot}>{children}</div>;
}
