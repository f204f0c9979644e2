import type { FleetInstallation, InstallationState } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { shortId } from '../shared/short-id.ts';
import { StateBadge } from '../states/state-badge.tsx';
import classes from './installation-page.module.css';

export interface InstallationHeadingProps {
  installation: FleetInstallation;
  state: InstallationState;
}

export function InstallationHeading({ installation, state }: InstallationHeadingProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div className={classes.heading}>
      <div className={classes.name}>
        <h1 className={`page-title breakable ${classes.title}`}>
          {installation.name || installation.host}
        </h1>
        <StateBadge state={state} />
      </div>
      <p className={classes.ids}>
        {installation.name === '' ? null : (
          <>
            <span className="mono">{installation.host}</span> ·{' '}
          </>
        )}
        {t('detail.tenant')} <span className="mono">{shortId(installation.tenantId)}</span> ·{' '}
        {t('detail.generation', { number: formats.count(installation.generation) })}
      </p>
    </div>
  );
}
