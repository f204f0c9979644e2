import type { Exchange } from '@dowel/emulator/control-api';
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDistance, useNow } from '../time-ago.tsx';
import { useLocale } from '../use-locale.ts';

/** A decoded JWT, in the colours that its parts have in the body. */
export function JwtView({ jwt }: { jwt: NonNullable<Exchange['jwt']> }) {
  const { t } = useTranslation();
  return (
    <>
      <JwtTimes claims={jwt.claims} />
      {(['header', 'claims'] as const).map((part) => (
        <div key={part} className="jwt-part" data-part={part}>
          <Text size="sm" fw={600}>
            {t(`exchange.jwt.${part}`)}
          </Text>
          <pre className="wire">
            <code>{JSON.stringify(jwt[part], null, 2)}</code>
          </pre>
        </div>
      ))}
    </>
  );
}

function JwtTimes({ claims: { iat, exp } }: { claims: Record<string, unknown> }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const now = useNow(1_000);
  const distanceTo = (seconds: number) => formatDistance(locale, seconds * 1_000, now);
  return (
    <Text size="sm" component="div">
      {typeof iat === 'number' && (
        <div>
          {t('exchange.jwt.issued')} <time>{distanceTo(iat)}</time>
        </div>
      )}
      {typeof exp === 'number' && (
        <div>
          {t(exp * 1_000 > now ? 'exchange.jwt.expires' : 'exchange.jwt.expired')}{' '}
          <time>{distanceTo(exp)}</time>
        </div>
      )}
    </Text>
  );
}
