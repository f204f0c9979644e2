import type { FleetDetail } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { CopyableText } from './copyable-text.tsx';
import { Fact, FactCard, FactList } from './fact-card.tsx';

/** The key of the installation: issuer, tenant and plug-in. */
export function IdentityCard({ detail }: { detail: FleetDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { id, issuer, tenantId, pluginId, beganAt } = detail.installation;
  return (
    <FactCard title={t('identity.title')}>
      <FactList>
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
        <Fact name={t('identity.installed')}>{formats.exact(beganAt)}</Fact>
        <Fact name={t('identity.notes')}>
          <span className="breakable">{detail.notes || '–'}</span>
        </Fact>
      </FactList>
    </FactCard>
  );
}
