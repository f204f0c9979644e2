import type { FleetDetail } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useTicking } from '../shared/ticker.tsx';
import classes from './fact-card.module.css';
import { Fact, FactCard, FactList } from './fact-card.tsx';

/** Members of events that this version of Dowel does not know, or that are spelled otherwise than specified. */
export function DriftCard({ drift }: Pick<FleetDetail, 'drift'>) {
  const { t } = useTranslation();
  if (drift.length === 0) return null;
  return (
    <FactCard title={t('drift.title')}>
      <p className={classes.lead}>{t('drift.lead')}</p>
      <FactList>
        {drift.map((place) => (
          <Fact key={`${place.event} ${place.pointer} ${place.type}`} name={place.event}>
            <code>
              {place.pointer} {place.type}
            </code>{' '}
            <LastSeen at={place.at} />
          </Fact>
        ))}
      </FactList>
    </FactCard>
  );
}

function LastSeen({ at }: { at: number }) {
  const formats = useFormats();
  const when = useTicking((now) => formats.recent(at, now));
  return (
    <time dateTime={new Date(at).toISOString()} title={formats.exact(at)}>
      {when}
    </time>
  );
}
