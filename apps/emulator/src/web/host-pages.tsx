import type { Session } from '@dowel/emulator/control-api';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type RouteName, useRoute } from './hash-route.ts';
import { HomePage } from './home/home-page.tsx';
import { useArrivalToasts } from './inbox/arrival-toasts.ts';
import { LabPage } from './lab/lab-page.tsx';
import { useLiveChanges } from './live-changes.ts';
import { PluginsPage } from './plugins/plugins-page.tsx';
import { AppBar } from './shell/app-bar.tsx';
import { TabBar } from './shell/navigation.tsx';

/** Everything behind the sign-in: app bar, the page of the route, live changes. */
export function HostPages({ session }: { session: Session }) {
  const { t } = useTranslation();
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const live = useLiveChanges();
  useArrivalToasts();
  useAnnouncedRoute(route, session.tenant.name, main);

  return (
    <div className="host">
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <AppBar session={session} route={route} live={live} />
      <main className="host-main" ref={main} tabIndex={-1}>
        {route === 'home' && <HomePage session={session} />}
        {route === 'plugins' && <PluginsPage />}
        {route === 'lab' && <LabPage />}
      </main>
      <TabBar route={route} />
    </div>
  );
}

/** Names the page in the title; after a change of page, the keyboard starts at its top. */
function useAnnouncedRoute(
  route: RouteName,
  tenantName: string,
  main: React.RefObject<HTMLElement | null>,
) {
  const { t } = useTranslation();
  const shown = useRef(route);
  useEffect(() => {
    document.title = `${t(`page.${route}`)} · ${tenantName} · ${t('product')}`;
    if (shown.current === route) return;
    shown.current = route;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [t, route, tenantName, main]);
}
