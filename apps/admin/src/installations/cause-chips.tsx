import type { Fleet } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import classes from '../shared/chips.module.css';
import { exactly } from '../shared/exactly.ts';
import { nameReasons } from '../states/cause.ts';
import type { ListSearch } from './list-search.ts';

const shownCount = 4;

export interface CauseChipsProps {
  search: ListSearch;
  causes: Fleet['causes'];
}

/** Filters by cause, the most frequent first. */
export function CauseChips({ search, causes }: CauseChipsProps) {
  const { t } = useTranslation();
  const [isWhole, setIsWhole] = useState(false);
  const names = nameReasons(
    t,
    causes.map(({ cause }) => cause),
  );
  const shown = causes.filter(
    ({ cause }, index) => isWhole || index < shownCount || cause === search.cause,
  );
  const hiddenCount = causes.length - shown.length;
  if (causes.length === 0 || (search.group && !['broken', 'risk'].includes(search.group))) {
    return null;
  }
  return (
    <nav aria-label={t('list.byCause')} className={classes.chips}>
      {shown.map(({ cause, count }) => (
        <CauseChip
          key={cause}
          reason={cause}
          name={names.get(cause) ?? cause}
          count={count}
          search={search}
        />
      ))}
      {hiddenCount > 0 ? (
        <button type="button" className={classes.chip} onClick={() => setIsWhole(true)}>
          {t('list.moreCauses', { count: hiddenCount })}
        </button>
      ) : null}
    </nav>
  );
}

interface CauseChipProps {
  reason: string;
  name: string;
  count: number;
  search: ListSearch;
}

function CauseChip(props: CauseChipProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { reason, name, count } = props;
  const { cause: current, ...rest } = props.search;
  const isCurrent = current === reason;
  return (
    <Link
      to="/installations"
      search={isCurrent ? rest : { ...rest, cause: reason }}
      className={classes.chip}
      title={reason}
      aria-current={isCurrent ? 'true' : undefined}
      activeOptions={exactly}
    >
      {name} <span className={classes.count}>{formats.count(count)}</span>
      {isCurrent ? <X size={14} aria-label={t('list.clear')} /> : null}
    </Link>
  );
}
