import type { FleetDetail } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import { findMissingRole } from '../shared/action-choices.ts';
import { CopyableText } from '../shared/copyable-text.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { Fact, FactCard, FactList } from './fact-card.tsx';
import { NameDialog } from './name-dialog.tsx';

/** Name, notes and the key of the installation: issuer, tenant and plug-in. */
export function IdentityCard({ detail }: { detail: FleetDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [isEditing, setIsEditing] = useState(false);
  const missingRole = findMissingRole('name', useRole());
  const { id, name, issuer, tenantId, pluginId, beganAt } = detail.installation;
  return (
    <FactCard
      title={t('identity.title')}
      action={
        <HinderedButton
          hindrance={missingRole && t(`action.${missingRole}`)}
          label={t('identity.editName')}
          onClick={() => setIsEditing(true)}
        >
          {t('identity.edit')}
        </HinderedButton>
      }
    >
      <FactList>
        <Fact name={t('identity.name')}>
          <span className="breakable">{name || '–'}</span>
        </Fact>
        <Fact name={t('identity.issuer')}>
          <CopyableText name={t('identity.issuer')} text={issuer} />
        </Fact>
        <Fact name={t('identity.tenant')}>
          <CopyableText name={t('identity.tenant')} text={tenantId} />
        </Fact>
        <Fact name={t('identity.plugin')}>
          <CopyableText name={t('identity.plugin')} text={pluginId} />
        </Fact>
        <Fact name={t('identity.id')}>
          <CopyableText name={t('identity.id')} text={id} />
        </Fact>
        <Fact name={t('nav.audit')}>
          <Link to="/audit" search={{ installation: id }}>
            {t('identity.audit')}
          </Link>
        </Fact>
        <Fact name={t('identity.installed')}>{formats.exact(beganAt)}</Fact>
        <Fact name={t('identity.notes')}>
          <span className="breakable">{detail.notes || '–'}</span>
        </Fact>
      </FactList>
      {isEditing ? <NameDialog detail={detail} onClose={() => setIsEditing(false)} /> : null}
    </FactCard>
  );
}
