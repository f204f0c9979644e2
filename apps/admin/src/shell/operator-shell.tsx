import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChangeSource } from '../api/live-changes.ts';
import { useFormats } from '../i18n/formats.ts';
import { CommandPalette } from '../palette/command-palette.tsx';
import { AlertAnnouncement } from './alert-announcement.tsx';
import { BottomBar } from './bottom-bar.tsx';
import classes from './operator-shell.module.css';
import { ShellKeys } from './shell-keys.tsx';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { useLiveChanges } from './use-live-changes.ts';
import { useOperatorLanguage } from './use-operator-language.ts';

export interface OperatorShellProps {
  openChanges: ((url: string) => ChangeSource) | undefined;
}

/** The frame of every page that needs a session. */
export function OperatorShell({ openChanges }: OperatorShellProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const live = useLiveChanges(openChanges);
  useOperatorLanguage();
  useFocusOfPage();

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        {t('nav.skip')}
      </a>
      <Sidebar />
      <div className={classes.page}>
        <TopBar live={live} />
        <main id="main" tabIndex={-1} className={classes.main}>
          {live.state === 'reconnecting' ? (
            <p className={classes.asOf}>{t('shell.asOf', { time: formats.time(live.cutOffAt) })}</p>
          ) : null}
          <Outlet />
        </main>
      </div>
      <BottomBar />
      <AlertAnnouncement />
      <CommandPalette />
      <ShellKeys />
    </div>
  );
}

/**
 * A link that opens another page often goes with its page, and the focus with it. The heading of the new page gets it.
 * After a reload the focus stays at the top, before the link that skips the navigation.
 */
function useFocusOfPage(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        const main = document.getElementById('main');
        const { activeElement, body } = document;
        if (activeElement !== body && activeElement !== main) return;
        const heading = main?.querySelector('h1');
        if (heading) heading.tabIndex = -1;
        (heading ?? main)?.focus({ preventScroll: true });
      }),
    [router],
  );
}
