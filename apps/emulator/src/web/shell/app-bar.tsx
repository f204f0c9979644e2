import type { Session } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';
import { EmulatorMark } from '../emulator-mark.tsx';
import type { RouteName } from '../hash-route.ts';
import { NotificationBell } from '../inbox/notification-bell.tsx';
import type { LiveState } from '../live-changes.ts';
import { LiveBadge } from './live-badge.tsx';
import { NavigationBar } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';

export interface AppBarProps {
  session: Session;
  route: RouteName;
  live: LiveState;
}

export function AppBar({ session, route, live }: AppBarProps) {
  const { t } = useTranslation();
  return (
    <header className="app-bar">
      <div className="app-bar-inner">
        <div className="app-bar-brand">
          <EmulatorMark size={34} />
          <div className="app-bar-names">
            <span className="app-bar-tenant">{session.tenant.name}</span>
            <span className="app-bar-product">{t('product')}</span>
          </div>
        </div>
        <NavigationBar route={route} />
        <div className="app-bar-end">
          <LiveBadge state={live} />
          <NotificationBell userId={session.user.userId} />
          <PersonMenu session={session} />
        </div>
      </div>
    </header>
  );
}
