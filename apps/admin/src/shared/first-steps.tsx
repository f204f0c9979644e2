import type { Fleet } from '@dowel/admin-api';
import { Code } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { basePath } from '../base-path.ts';
import classes from './first-steps.module.css';

/** What to do while there is no installation. */
export function FirstSteps({ manifestUrls }: Pick<Fleet, 'manifestUrls'>) {
  const { t } = useTranslation();
  return (
    <div className={classes.steps}>
      <h2>{t('overview.empty')}</h2>
      <p>{t('first.lead')}</p>
      <ol>
        <li>{t('first.emulator')}</li>
        <li>
          {t('first.install')}{' '}
          {manifestUrls.map((url) => (
            <Fragment key={url}>
              <Code className="breakable">{url}</Code>{' '}
            </Fragment>
          ))}
        </li>
        <li>{t('first.wait')}</li>
      </ol>
      <a href={`${basePath}guide/operations.html`}>{t('first.guide')}</a>
    </div>
  );
}
