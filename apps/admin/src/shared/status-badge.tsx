import type { InstallationStatus } from '@dowel/schema';
import CircleCheck from 'lucide-react/icons/circle-check';
import Hourglass from 'lucide-react/icons/hourglass';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import Unplug from 'lucide-react/icons/unplug';
import { ToneBadge, type ToneBadgeProps } from './tone-badge.tsx';

const looks: Readonly<Record<InstallationStatus, Pick<ToneBadgeProps, 'tone' | 'icon'>>> = {
  pending: { tone: 'new', icon: Hourglass },
  active: { tone: 'ok', icon: CircleCheck },
  awaiting_event: { tone: 'bad', icon: TriangleAlert },
  uninstalled: { tone: 'gone', icon: Unplug },
};

const statusWords: Readonly<Record<InstallationStatus, string>> = {
  pending: 'Pending',
  active: 'Active',
  awaiting_event: 'Awaiting event',
  uninstalled: 'Uninstalled',
};

export function StatusBadge({ status }: { status: InstallationStatus }) {
  return <ToneBadge {...looks[status]}>{statusWords[status]}</ToneBadge>;
}
