import type { ComponentType, ReactNode, SVGProps } from 'react';
import classes from './tone-badge.module.css';

type Tone = 'ok' | 'waiting' | 'bad' | 'new' | 'gone';

export interface ToneBadgeProps {
  tone: Tone;
  icon?: ComponentType<SVGProps<SVGSVGElement> & { size?: number | string }>;
  children: ReactNode;
}

/** A word on a coloured ground, with an icon: never colour alone. */
export function ToneBadge({ tone, icon: Icon, children }: ToneBadgeProps) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {Icon ? <Icon size={14} aria-hidden="true" /> : null}
      {children}
    </span>
  );
}
