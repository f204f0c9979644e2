import type { ComponentType, ReactNode, SVGProps } from 'react';
import type { Role } from '../role-colors.ts';
import classes from './role-badge.module.css';

export interface RoleBadgeProps {
  role: Role;
  icon?: ComponentType<SVGProps<SVGSVGElement> & { size?: number | string }>;
  isOutline?: boolean;
  children: ReactNode;
}

/** A word with an icon on a coloured ground: colour is never the only indication. */
export function RoleBadge({ role, icon: Icon, isOutline = false, children }: RoleBadgeProps) {
  return (
    <span className={classes.badge} data-tone={role} data-outline={isOutline || undefined}>
      {Icon ? <Icon size={14} aria-hidden="true" /> : null}
      {children}
    </span>
  );
}
