import type { Session } from '@dowel/emulator/control-api';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExchangePage } from './exchanges/exchange-page.tsx';
import type { Play } from './faults/use-play.ts';
import { type Route, useRoute } from './hash-route.ts';
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
  // Kept while the person uses a widget on another page.
  const [play, setPlay] = useState<Play | null>(null);
  useArrivalToasts();
  useAnnouncedRoute(route, session.tenant.name, main);

  return (
    <div className="host">
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <AppBar session={session} route={route.name} live={live} />
      <main className="host-main" ref={main} tabIndex={-1}>
        {route.name === 'home' && <HomePage session={session} />}
        {route.name === 'plugins' && !route.exchangeId && <PluginsPage />}
        {route.exchangeId && <ExchangePage key={route.exchangeId} id={route.exchangeId} />}
        {route.name === 'lab' && <LabPage playing={{ play, setPlay }} />}
      </main>
      <TabBar route={route.name} />
    </div>
  );
}

/** Names the page in the title; after a change of page, the keyboard starts at its top. */
function useAnnouncedRoute(
  { name, exchangeId }: Route,
  tenantName: string,
  main: React.RefObject<HTMLElement | null>,
) {
  const { t } = useTranslation();
  const address = `${name}/${exchangeId}`;
  const shown = useRef(address);
  useEffect(() => {
    document.title = `${t(`page.${name}`)} · ${tenantName} · ${t('product')}`;
    if (shown.current === address) return;
    shown.current = address;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [t, name, address, tenantName, main]);
}
