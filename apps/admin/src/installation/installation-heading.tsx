import type { FleetInstallation, InstallationState } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import Inbox from 'lucide-react/icons/inbox';
import Signpost from 'lucide-react/icons/signpost';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { RoleBadge } from '../shared/role-badge.tsx';
import { shortId } from '../shared/short-id.ts';
import { StateBadge } from '../states/state-badge.tsx';
import classes from './installation-page.module.css';

const hookLook = { role: 'risk', icon: Inbox } as const;
const addressLook = { role: 'risk', icon: Signpost } as const;

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
        <HookFlag count={installation.parkedHooks} />
        <AddressFlag otherAddress={installation.otherAddress} />
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

/** Beside any state: deliveries of its hooks wait for an operator. */
function HookFlag({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return <RoleBadge {...hookLook}>{t('hooks.flag', { count })}</RoleBadge>;
}

/** Beside any state: the tenant has the plug-in under another issuer, too. */
function AddressFlag({ otherAddress }: Pick<FleetInstallation, 'otherAddress'>) {
  const { t } = useTranslation();
  if (!otherAddress) return null;
  return (
    <>
      <RoleBadge {...addressLook}>{t('address.flag')}</RoleBadge>
      <Link to="/installations/$id" params={{ id: otherAddress.id }}>
        {otherAddress.host}
      </Link>
    </>
  );
}
