import type { Fleet } from '@dowel/schema';
import { Button, Code } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { exactly } from '../shared/exactly.ts';
import { describeFilter } from './describe-filter.ts';
import classes from './installations-page.module.css';
import type { ListSearch } from './list-search.ts';
import { useMovedCount } from './use-moved-count.ts';

export interface ListMessageProps {
  search: ListSearch;
  fleet: Fleet | undefined;
  /** The server has not looked at all rows yet. */
  hasMore: boolean;
  loadedAt: number;
  onMore: () => void;
  onReload: () => void;
}

const noIds: readonly string[] = [];

/** Shown in place of an empty list: why it is empty, and the way on. */
export function ListMessage(props: ListMessageProps) {
  const { search, fleet, hasMore, loadedAt, onMore, onReload } = props;
  const { t } = useTranslation();
  const formats = useFormats();
  const newCount = useMovedCount(noIds, loadedAt, search);
  // Nothing is being read here that new rows could push away.
  useEffect(() => {
    if (newCount > 0) onReload();
  }, [newCount, onReload]);
  const { q, cause, age, scope } = search;
  const isFiltered = [q, cause, age, scope].some((each) => each !== undefined);
  if (!isFiltered && search.group === undefined) return <FirstSteps />;
  const working = fleet?.groups.working ?? 0;
  return (
    <div className={classes.message} role="status">
      <h2>{isFiltered ? t('list.noMatch') : t(`list.none.${search.group ?? 'pending'}`)}</h2>
      <p>
        {isFiltered
          ? describeFilter(t, search)
          : t('list.allWork', { count: working, number: formats.count(working) })}
      </p>
      {hasMore ? (
        <Button variant="default" onClick={onMore}>
          {t('list.searchOn')}
        </Button>
      ) : (
        <Link to="/installations" activeOptions={exactly}>
          {t('list.clear')}
        </Link>
      )}
    </div>
  );
}

function FirstSteps() {
  const { t } = useTranslation();
  const manifestUrl = new URL('/manifest.json', window.location.href).href;
  return (
    <div className={classes.message}>
      <h2>{t('first.title')}</h2>
      <p>{t('first.lead')}</p>
      <ol>
        <li>{t('first.emulator')}</li>
        <li>
          {t('first.install')} <Code className="breakable">{manifestUrl}</Code>
        </li>
        <li>{t('first.wait')}</li>
      </ol>
    </div>
  );
}
