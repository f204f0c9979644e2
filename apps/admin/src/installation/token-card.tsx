import type { FleetDetail } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useTicking } from '../shared/ticker.tsx';
import { causeOf } from '../states/cause.ts';
import { Fact, FactCard, FactList } from './fact-card.tsx';

/** Facts about the tokens, never the tokens themselves. */
export function TokenCard({ detail }: { detail: FleetDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { token, installation } = detail;
  const { condition, cause } = installation;
  // Calls that fail for their tokens: the platform refuses this one before its end.
  const lacksToken = ['call_token', 'endpoint'].includes(causeOf(cause) ?? '');
  const isDead = condition === 'awaiting' || (condition === 'calls_failing' && lacksToken);
  return (
    <FactCard title={t('token.title')}>
      {token ? (
        <FactList>
          <Fact name={t('token.access')}>
            {isDead ? t('token.dead') : <TokenEnd at={token.expiresAt} />}
          </Fact>
          <Fact name={t('token.issued')}>{formats.moment(token.issuedAt)}</Fact>
          <Fact name={t('token.refresh')}>
            {token.hasRefreshToken ? t('token.stored') : t('token.notStored')}
          </Fact>
          <Fact name={t('token.version')}>{formats.count(token.version)}</Fact>
          {installation.canAsk ? null : (
            <Fact name={t('token.newEvent')}>{t('token.cannotAsk')}</Fact>
          )}
        </FactList>
      ) : (
        <p className="dimmed">{t('token.none')}</p>
      )}
    </FactCard>
  );
}

function TokenEnd({ at }: { at: number | null }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const isAhead = useTicking((now) => at !== null && at > now);
  if (at === null) return t('next.noEnd');
  return t(isAhead ? 'token.until' : 'token.ended', { time: formats.moment(at) });
}
