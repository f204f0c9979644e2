import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialog.module.css';

export interface DialogProps {
  title: string;
  /** The subject, shown below the title. */
  about?: string;
  onClose: () => void;
  children: ReactNode;
}

/** The frame of every dialog. Escape and a press beside it close it. */
export function Dialog({ title, about, onClose, children }: DialogProps) {
  return (
    <Modal
      opened
      size={500}
      onClose={onClose}
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

/** The buttons of a {@link Dialog}, the one that does something last. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={classes.foot}>{children}</div>;
}
