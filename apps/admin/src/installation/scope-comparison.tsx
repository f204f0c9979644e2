import { Code } from '@mantine/core';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import { ToneBadge } from '../shared/tone-badge.tsx';
import classes from './access-token-card.module.css';

export interface ScopeComparisonProps {
  granted: string[];
  requested: string[];
}

/** Compares requested and granted scopes (Spec §4.1). */
export function ScopeComparison({ granted, requested }: ScopeComparisonProps) {
  const scopes = [...new Set([...requested, ...granted])];
  if (scopes.length === 0) return <>None requested</>;
  return (
    <ul className={`reset-list ${classes.scopes}`}>
      {scopes.map((scope) => (
        <li key={scope} className={classes.scope}>
          <Code className="breakable">{scope}</Code>
          {granted.includes(scope) ? (
            <ToneBadge tone="ok" icon={CircleCheck}>
              {requested.includes(scope) ? 'Granted' : 'Granted, not requested'}
            </ToneBadge>
          ) : (
            <ToneBadge tone="bad" icon={CircleX}>
              Not granted
            </ToneBadge>
          )}
        </li>
      ))}
    </ul>
  );
}
