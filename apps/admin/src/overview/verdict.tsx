import type { Fleet } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import ArrowRight from 'lucide-react/icons/arrow-right';
import CircleCheck from 'lucide-react/icons/circle-check';
import TimerOff from 'lucide-react/icons/timer-off';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { FirstSteps } from '../shared/first-steps.tsx';
import { countAll, countInstalled } from '../states/count-all.ts';
import classes from './overview-page.module.css';

/** One sentence about all installations, with one way on. Without any: the first steps. */
export function Verdict({ fleet }: { fleet: Fleet }) {
  const { groups } = fleet;
  if (groups.broken > 0) return <Broken fleet={fleet} />;
  if (groups.risk > 0) return <AtRisk count={groups.risk} />;
  if (countAll(fleet) === 0) {
    return (
      <section className="card">
        <FirstSteps manifestUrls={fleet.manifestUrls} />
      </section>
    );
  }
  return <Well working={groups.working} all={countAll(fleet)} />;
}

function Broken({ fleet }: { fleet: Fleet }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { broken } = fleet.groups;
  return (
    <section className={classes.verdict} data-tone="bad">
      <TriangleAlert size={20} aria-hidden="true" />
      <div>
        <h2>
          {t('overview.broken', {
            count: broken,
            number: formats.count(broken),
            all: formats.count(countInstalled(fleet)),
          })}
        </h2>
        <p>
          {t('overview.withinHour', {
            number: formats.count(fleet.brokenWithinHour),
            old: formats.count(fleet.brokenOverDay),
          })}
        </p>
      </div>
      <ShowThem group="broken" />
    </section>
  );
}

function AtRisk({ count }: { count: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <section className={classes.verdict} data-tone="risk">
      <TimerOff size={20} aria-hidden="true" />
      <h2>{t('overview.risk', { count, number: formats.count(count) })}</h2>
      <ShowThem group="risk" />
    </section>
  );
}

function Well({ working, all }: { working: number; all: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <section className={classes.verdict}>
      <CircleCheck size={20} data-tone="ok" aria-hidden="true" />
      <h2>
        {working === 0
          ? t('overview.noneShould', { count: all, number: formats.count(all) })
          : t('overview.well', { count: working, number: formats.count(working) })}
      </h2>
    </section>
  );
}

function ShowThem({ group }: { group: 'broken' | 'risk' }) {
  const { t } = useTranslation();
  return (
    <Button
      size="sm"
      className={classes.action ?? ''}
      rightSection={<ArrowRight size={15} aria-hidden="true" />}
      renderRoot={(props: object) => <Link to="/installations" search={{ group }} {...props} />}
    >
      {t('overview.show')}
    </Button>
  );
}
