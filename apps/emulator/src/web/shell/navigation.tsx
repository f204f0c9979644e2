import FlaskConical from 'lucide-react/icons/flask-conical';
import House from 'lucide-react/icons/house';
import Plug from 'lucide-react/icons/plug';
import { type RouteName, routes } from '../hash-route.ts';

const links = [
  { name: 'home', label: 'Home', Icon: House },
  { name: 'plugins', label: 'Plug-ins', Icon: Plug },
  { name: 'lab', label: 'Lab', Icon: FlaskConical },
] as const;

/** Shown in the app bar on wide screens. */
export function NavigationBar({ route }: { route: RouteName }) {
  return (
    <nav className="navigation-bar" aria-label="Main">
      <NavigationLinks route={route} />
    </nav>
  );
}

/** At the bottom on phones; of the two, one is displayed. */
export function TabBar({ route }: { route: RouteName }) {
  return (
    <nav className="tab-bar" aria-label="Main">
      <NavigationLinks route={route} />
    </nav>
  );
}

function NavigationLinks({ route }: { route: RouteName }) {
  return links.map(({ name, label, Icon }) => (
    <a key={name} href={routes[name]} aria-current={route === name ? 'page' : undefined}>
      <Icon size={18} aria-hidden />
      {label}
    </a>
  ));
}
