import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { sessionQuery } from '../api/queries.ts';
import classes from './person.module.css';

/** The signed-in operator and the role. */
export function Person() {
  const { t } = useTranslation();
  const session = useQuery(sessionQuery(useApi())).data;
  if (!session) return null;
  return (
    <div className={classes.person}>
      <span className={classes.initials} aria-hidden="true">
        {initialsOf(session.name)}
      </span>
      <span className={classes.words}>
        <span className={classes.name}>{session.name}</span>
        <span className={classes.role}>{t(`role.${session.role}`)}</span>
      </span>
    </div>
  );
}

/** `day.desk` → `DD` */
function initialsOf(name: string): string {
  const parts = name.split(/[\s.@_-]+/).filter((part) => part !== '');
  return parts
    .slice(0, 2)
    .map((part) => part.slice(0, 1).toUpperCase())
    .join('');
}
