import { useLocation } from '@tanstack/react-router';
import { type ReactNode, type ToggleEvent, useId, useState } from 'react';
import classes from './popup.module.css';

interface PopupProps {
  /** The name of the popup for screen readers. */
  label: string;
  /** The content of the button that opens it. */
  button: ReactNode;
  className?: string | undefined;
  /** Whether one of its links is the current page. */
  isCurrent?: boolean;
  children: ReactNode;
}

/** A button with a small window above it. The browser closes that with Escape, or with a click elsewhere. */
export function Popup({ label, button, className, isCurrent = false, children }: PopupProps) {
  const id = useId();
  const page = useLocation({ select: ({ pathname }) => pathname });
  const [openOn, setOpenOn] = useState<string>();
  const follow = ({ newState }: ToggleEvent) => setOpenOn(newState === 'open' ? page : undefined);
  return (
    <>
      <button
        type="button"
        className={className}
        popoverTarget={id}
        aria-current={isCurrent ? 'true' : undefined}
      >
        {button}
      </button>
      {/* On another page it is another element, which is closed. */}
      <div
        key={page}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={classes.popup}
        onBeforeToggle={follow}
      >
        {openOn === page ? children : null}
      </div>
    </>
  );
}
