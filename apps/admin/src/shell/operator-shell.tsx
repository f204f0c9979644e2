import { Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import type { ChangeSource } from '../api/live-changes.ts';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { LiveIndicator } from './live-indicator.tsx';
import classes from './operator-shell.module.css';
import { ShellNavigation } from './shell-navigation.tsx';
import { useLiveChanges } from './use-live-changes.ts';

export interface OperatorShellProps {
  openChanges: ((url: string) => ChangeSource) | undefined;
}

/** The frame of every page that needs a session. */
export function OperatorShell({ openChanges }: OperatorShellProps) {
  const [isOpen, navigation] = useDisclosure(false);
  const live = useLiveChanges(openChanges);

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.header}>
        <div className={classes.burger}>
          <Burger
            size="sm"
            opened={isOpen}
            onClick={navigation.toggle}
            aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
            aria-expanded={isOpen}
            aria-controls="navigation"
          />
        </div>
        <Link to="/" className={classes.brand} onClick={navigation.close}>
          <DowelMark size={28} />
          Dowel
        </Link>
        <LiveIndicator state={live} />
      </header>
      <aside
        className={classes.sidebar}
        id="navigation"
        aria-label="Navigation and settings"
        data-open={isOpen || undefined}
      >
        <ShellNavigation onNavigate={navigation.close} />
      </aside>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
    </div>
  );
}
