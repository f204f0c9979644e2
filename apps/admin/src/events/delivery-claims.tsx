import type { DeliveryClaim, DeliveryDetail } from '@dowel/admin-api';
import { isRoleEnough } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import classes from './events-page.module.css';

/** The claims as a table, for operators. Nothing proves those of an unverified event. */
export function DeliveryClaims({ detail }: { detail: DeliveryDetail }) {
  const { t } = useTranslation();
  const role = useRole();
  const { claims, isVerified, event } = detail;
  if (event === 'session') return null;
  if (role !== undefined && !isRoleEnough(role, 'operator')) {
    return <p className={classes.noClaims}>{t('events.claimsForOperators')}</p>;
  }
  if (claims === null) return <p className={classes.noClaims}>{t('events.noClaims')}</p>;
  return (
    <section>
      <h3 className={classes.part}>{t('events.claims')}</h3>
      {isVerified ? null : (
        <p className={classes.unverified} data-tone="risk">
          {t('events.unverified')}
        </p>
      )}
      <table className={classes.claims} aria-label={t('events.claims')}>
        <tbody>
          {claims.map((claim, index) => (
            <tr key={index}>
              <th scope="row">{claim.name}</th>
              <td>
                <ClaimValue claim={claim} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const times = ['iat', 'exp', 'nbf'];

function ClaimValue({ claim: { name, value, masked } }: { claim: DeliveryClaim }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (masked !== undefined) return <span className="dimmed">{t(`events.masked.${masked}`)}</span>;
  const isTime = times.includes(name) && typeof value === 'number' && value < 1e11;
  return (
    <>
      <code>{String(value)}</code>
      {isTime ? <span className={classes.note}>{formats.exact(value * 1_000)}</span> : null}
    </>
  );
}
