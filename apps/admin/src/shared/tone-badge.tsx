import type { ComponentType, ReactNode, SVGProps } from 'react';
import classes from './tone-badge.module.css';

type Tone = 'ok' | 'waiting' | 'bad' | 'new' | 'gone';

export interface ToneBadgeProps {
  tone: Tone;
  icon?: ComponentType<SVGProps<SVGSVGElement> & { size?: number | string }>;
  children: ReactNode;
}

/** A word with an icon on a coloured background: colour is never the only sign. */
export function ToneBadge({ tone, icon: Icon, children }: ToneBadgeProps) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {Icon ? <Icon size={14} aria-hidden="true" /> : null}
      {children}
    </span>
  );
}
