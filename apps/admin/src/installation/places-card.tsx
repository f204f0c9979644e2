import type { FleetDetail } from '@dowel/admin-api';
import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { FactCard } from './fact-card.tsx';
import classes from './places-card.module.css';

const shownCount = 6;

export interface PlacesCardProps {
  detail: Pick<FleetDetail, 'instanceIds' | 'srcForm' | 'purgedAt'>;
}

/** The widgets that people have placed, and whether the pages name them. */
export function PlacesCard({ detail: { instanceIds, srcForm, purgedAt } }: PlacesCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? instanceIds : instanceIds.slice(0, shownCount);
  const number = formats.count(instanceIds.length);
  return (
    <FactCard title={t('places.title', { number })}>
      {purgedAt !== null && instanceIds.length > 0 ? (
        <p className={classes.note}>{t('places.kept', { date: formats.date(purgedAt) })}</p>
      ) : null}
      {instanceIds.length === 0 ? <p className={classes.note}>{t('places.none')}</p> : null}
      {srcForm === null ? null : (
        <Alert color="yellow" title={t('places.unmatched')} mb="sm">
          <code className="breakable">{srcForm}</code>
          <p>{t('places.unmatchedHelp')}</p>
        </Alert>
      )}
      <ul className={`reset-list ${classes.list}`}>
        {shown.map((id) => (
          <li key={id} className="mono breakable">
            {id}
          </li>
        ))}
      </ul>
      {shown.length < instanceIds.length ? (
        <Button variant="default" size="xs" mt="sm" onClick={() => setIsWhole(true)}>
          {t('places.all', { number })}
        </Button>
      ) : null}
    </FactCard>
  );
}
