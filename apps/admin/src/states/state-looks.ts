/** Colour and icon of each state and group. A word is always shown with them. */
import type { InstallationState, StateGroup } from '@dowel/admin-api';
import Ban from 'lucide-react/icons/ban';
import CircleCheck from 'lucide-react/icons/circle-check';
import CirclePause from 'lucide-react/icons/circle-pause';
import CloudOff from 'lucide-react/icons/cloud-off';
import Hourglass from 'lucide-react/icons/hourglass';
import Moon from 'lucide-react/icons/moon';
import PhoneOff from 'lucide-react/icons/phone-off';
import RefreshCwOff from 'lucide-react/icons/refresh-cw-off';
import TimerOff from 'lucide-react/icons/timer-off';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import Unplug from 'lucide-react/icons/unplug';
import type { Role } from '../role-colors.ts';

export const groupRoles: Readonly<Record<StateGroup, Role>> = {
  broken: 'bad',
  risk: 'risk',
  working: 'ok',
  paused: 'hold',
  pending: 'note',
  uninstalled: 'gone',
};

/** The groups in the order of the chips: the most urgent first. */
export const groups = [
  'broken',
  'risk',
  'working',
  'paused',
  'pending',
  'uninstalled',
] as const satisfies readonly StateGroup[];

export const stateIcons: Readonly<Record<InstallationState, typeof Ban>> = {
  active: CircleCheck,
  idle: Moon,
  expiring: TimerOff,
  ran_out: TimerOff,
  failing: RefreshCwOff,
  unreachable: CloudOff,
  calls_failing: PhoneOff,
  awaiting: TriangleAlert,
  pending: Hourglass,
  no_tokens: Hourglass,
  install_refused: Ban,
  paused: CirclePause,
  uninstalled: Unplug,
};
