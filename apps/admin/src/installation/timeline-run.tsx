import Ellipsis from 'lucide-react/icons/ellipsis';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useTicking } from '../shared/ticker.tsx';
import { keyOf, type Run } from './fold-entries.ts';
import classes from './timeline.module.css';
import { TimelineItem } from './timeline-item.tsx';

export function TimelineRun({ run }: { run: Run }) {
  const [isOpen, setIsOpen] = useState(false);
  if (run.isFolded && !isOpen) return <Folded run={run} onOpen={() => setIsOpen(true)} />;
  return run.entries.map((entry) => <TimelineItem key={keyOf(entry)} item={entry} />);
}

const shownGaps = 5;

function Folded({ run, onOpen }: { run: Run; onOpen: () => void }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { entries } = run;
  const newest = entries[0];
  const oldest = entries.at(-1) ?? newest;
  const when = useTicking((now) => formats.recent(oldest.at, now));
  const gaps = entries
    .slice(1)
    .map(({ at }, index) => formats.age((entries[index]?.at ?? at) - at))
    .toReversed();
  return (
    <li className={classes.item} data-folded>
      <span className={classes.when}>{when}</span>
      <span className={classes.bullet} data-tone="gone" aria-hidden="true">
        <Ellipsis size={12} />
      </span>
      <div>
        <div className={classes.name}>{t('timeline.more', { count: entries.length })}</div>
        <div className={classes.detail}>
          {t('timeline.after', { gaps: gaps.slice(0, shownGaps).join(', ') })}
          {gaps.length > shownGaps ? ' …' : null}
        </div>
      </div>
      <button type="button" className={classes.show} onClick={onOpen}>
        {t('timeline.show')}
      </button>
    </li>
  );
}
