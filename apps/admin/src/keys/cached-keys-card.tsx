import type { KeyLocationEntry, Keys, SignatureKey } from '@dowel/admin-api';
import Check from 'lucide-react/icons/check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { Age } from '../shared/age.tsx';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { ReasonSentence } from '../shared/reason-sentence.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import { Fingerprint } from './fingerprint.tsx';
import classes from './keys-page.module.css';

const columns = [
  'kid',
  'location',
  'algorithm',
  'fingerprint',
  'age',
  'nextFetch',
  'state',
] as const;

/** The keys that the answering process has fetched. */
export function CachedKeysCard({ keys }: { keys: Keys }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { locations, hiddenLocations, process, now } = keys;
  const note = t('trust.cachedNote', {
    pid: process.pid,
    at: formats.recent(process.startedAt, now),
  });
  return (
    <DataCard title={t('trust.cached')} note={note}>
      {locations.length === 0 ? (
        <p className="dimmed">{t('trust.noneCached')}</p>
      ) : (
        <DataTable name={t('trust.cached')} columns={columns.map((name) => t(`trust.${name}`))}>
          {locations.flatMap((entry) =>
            (entry.keys.length > 0 ? entry.keys : [undefined]).map((key, index) => (
              <CachedKeyRow
                key={`${entry.location} ${index}`}
                entry={entry}
                signatureKey={key}
                now={now}
              />
            )),
          )}
        </DataTable>
      )}
      {hiddenLocations > 0 ? (
        <p className={classes.foot}>
          {t('trust.hidden', { count: hiddenLocations, n: formats.count(hiddenLocations) })}
        </p>
      ) : null}
    </DataCard>
  );
}

interface CachedKeyRowProps {
  entry: KeyLocationEntry;
  /** Undefined: the location has not answered with a key. */
  signatureKey: SignatureKey | undefined;
  now: number;
}

function CachedKeyRow({ entry, signatureKey: key, now }: CachedKeyRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { location, fetchedAt, freshUntil } = entry;
  return (
    <tr>
      <td>
        {key?.kid ? <strong className="mono breakable">{key.kid}</strong> : null}
        {key && key.kid === null ? <span className="dimmed">{t('trust.noKid')}</span> : null}
        {key ? null : '–'}
      </td>
      <td className="breakable" data-label={t('trust.location')}>
        <code>{location}</code>
      </td>
      <td className={`numeric ${classes.whole}`} data-label={t('trust.algorithm')}>
        {key ? `${key.algorithm} · ${t('trust.bits', { number: formats.count(key.bits) })}` : '–'}
      </td>
      <td data-label={t('trust.fingerprint')}>
        {key ? <Fingerprint text={key.fingerprint} /> : '–'}
      </td>
      <td data-label={t('trust.age')}>{fetchedAt === null ? '–' : <Age since={fetchedAt} />}</td>
      <td className={`numeric ${classes.whole}`} data-label={t('trust.nextFetch')}>
        {freshUntil !== null && freshUntil > now
          ? t('trust.nextFrom', { at: formats.moment(freshUntil) })
          : t('trust.nextNow')}
      </td>
      <td>
        <LocationState entry={entry} now={now} />
      </td>
    </tr>
  );
}

function LocationState({ entry, now }: { entry: KeyLocationEntry; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { isProven, failure, usableUntil } = entry;
  if (!failure) {
    const [role, icon] = isProven ? (['ok', Check] as const) : (['gone', CircleDashed] as const);
    return (
      <RoleBadge role={role} icon={icon}>
        {t(isProven ? 'trust.proven' : 'trust.unproven')}
      </RoleBadge>
    );
  }
  const isServed = usableUntil !== null && usableUntil > now;
  const at = formats.recent(failure.at, now);
  return (
    <>
      <RoleBadge role={isServed ? 'risk' : 'gone'} icon={TriangleAlert}>
        {isServed ? t('trust.rule.stale', { at }) : t('trust.noKey')}
      </RoleBadge>
      <div className={classes.reason}>
        <ReasonSentence reason={failure.reason} />
      </div>
    </>
  );
}
