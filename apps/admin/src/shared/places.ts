/** The pages of the navigation, in its order. */
import ArrowDownToLine from 'lucide-react/icons/arrow-down-to-line';
import ArrowLeftRight from 'lucide-react/icons/arrow-left-right';
import BellRing from 'lucide-react/icons/bell-ring';
import FileClock from 'lucide-react/icons/file-clock';
import Gauge from 'lucide-react/icons/gauge';
import Inbox from 'lucide-react/icons/inbox';
import KeyRound from 'lucide-react/icons/key-round';
import LayoutList from 'lucide-react/icons/layout-list';
import Settings from 'lucide-react/icons/settings';
import Users from 'lucide-react/icons/users';

export const places = [
  { to: '/', name: 'overview', icon: Gauge, letter: 'o' },
  { to: '/installations', name: 'installations', icon: LayoutList, letter: 'i' },
  { to: '/calls', name: 'calls', icon: ArrowLeftRight, letter: 'c' },
  { to: '/events', name: 'events', icon: ArrowDownToLine, letter: 'e' },
  { to: '/hooks', name: 'hooks', icon: Inbox, letter: 'h' },
  { to: '/alerts', name: 'alerts', icon: BellRing, letter: 'l' },
  { to: '/keys', name: 'keys', icon: KeyRound, letter: 'k' },
  { to: '/audit', name: 'audit', icon: FileClock, letter: 'a' },
  { to: '/people', name: 'people', icon: Users, letter: 'p' },
  { to: '/settings', name: 'settings', icon: Settings, letter: 's' },
] as const;

export type Place = (typeof places)[number];
