import type { Settings } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { basePath } from '../base-path.ts';
import { DataCard } from '../shared/data-table.tsx';
import classes from './settings-page.module.css';

/** Pages beside the dashboard's: apps/admin/scripts/write-guide.ts. They are in English. */
const guide = [
  'dashboard',
  'operations',
  'errors',
  'specification',
  'threats',
  'glossary',
] as const;

export function VersionsCard({ answer: { versions, isProduction } }: { answer: Settings }) {
  const { t } = useTranslation();
  const { dowel, node, system, database, plugins } = versions;
  const facts = [
    ['Dowel', dowel || t('settings.unknown')],
    ['Node.js', node],
    [t('settings.system'), system],
    [t('settings.database'), `${database.engine} ${database.version}`],
    [t('settings.schema'), database.migration.slice(0, 4)],
    [t('settings.mode'), t(isProduction ? 'settings.production' : 'settings.development')],
  ] as const;
  return (
    <DataCard title={t('settings.versions')}>
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="breakable">{value}</dd>
          </div>
        ))}
        {database.risk && (
          <div className={classes.wide}>
            <dt>{t('settings.risk')}</dt>
            <dd>{t(`settings.risks.${database.risk}`)}</dd>
          </div>
        )}
        {plugins.map(({ name, version, reference }) => (
          <div key={reference} className={classes.wide}>
            <dt>{name}</dt>
            <dd className="breakable">
              {version} · <a href={reference}>{t('settings.reference')}</a>
            </dd>
          </div>
        ))}
        <div className={classes.wide}>
          <dt>{t('settings.guide')}</dt>
          <dd className={classes.guide}>
            {guide.map((name) => (
              <a key={name} href={`${basePath}guide/${name}.html`}>
                {t(`settings.guidePages.${name}`)}
              </a>
            ))}
          </dd>
        </div>
      </dl>
    </DataCard>
  );
}
