import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import Hourglass from 'lucide-react/icons/hourglass';

const icons = { good: CircleCheck, bad: CircleX, warn: Hourglass };

export interface StatusBadgeProps {
  tone: keyof typeof icons;
  children: React.ReactNode;
}

/** A result in words, with a colour and an icon that say the same. */
export function StatusBadge({ tone, children }: StatusBadgeProps) {
  const Icon = icons[tone];
  return (
    <span className="status-badge" data-tone={tone}>
      <Icon size={14} aria-hidden />
      {children}
    </span>
  );
}
