import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { FactCard } from './fact-card.tsx';
import classes from './places-card.module.css';

const shownCount = 6;

export interface PlacesCardProps {
  instanceIds: string[];
  /** When the record of an uninstalled plug-in is deleted; null while it is installed. */
  purgedAt: number | null;
}

/** The widgets that people have placed. */
export function PlacesCard({ instanceIds, purgedAt }: PlacesCardProps) {
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
