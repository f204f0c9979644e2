import FlaskConical from 'lucide-react/icons/flask-conical';
import House from 'lucide-react/icons/house';
import Plug from 'lucide-react/icons/plug';
import { useTranslation } from 'react-i18next';
import { type RouteName, routes } from '../hash-route.ts';

const links = [
  { name: 'home', Icon: House },
  { name: 'plugins', Icon: Plug },
  { name: 'lab', Icon: FlaskConical },
] as const;

/** Shown in the app bar on wide screens. */
export function NavigationBar({ route }: { route: RouteName }) {
  const { t } = useTranslation();
  return (
    <nav className="navigation-bar" aria-label={t('shell.main')}>
      <NavigationLinks route={route} />
    </nav>
  );
}

/** At the bottom on phones; of the two, one is displayed. */
export function TabBar({ route }: { route: RouteName }) {
  const { t } = useTranslation();
  return (
    <nav className="tab-bar" aria-label={t('shell.main')}>
      <NavigationLinks route={route} />
    </nav>
  );
}

function NavigationLinks({ route }: { route: RouteName }) {
  const { t } = useTranslation();
  return links.map(({ name, Icon }) => (
    <a key={name} href={routes[name]} aria-current={route === name ? 'page' : undefined}>
      <Icon size={18} aria-hidden />
      {t(`page.${name}`)}
    </a>
  ));
}
