import type { EncryptionKey, Keys } from '@dowel/admin-api';
import Check from 'lucide-react/icons/check';
import Hourglass from 'lucide-react/icons/hourglass';
import LockKeyholeOpen from 'lucide-react/icons/lock-keyhole-open';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './keys-page.module.css';
import { RotationStep } from './rotation-step.tsx';

type Encryption = Keys['encryption'];

const looks: Readonly<Record<EncryptionKey['state'], { role: Role; icon: typeof Check }>> = {
  active: { role: 'ok', icon: Check },
  next: { role: 'note', icon: Hourglass },
  old: { role: 'gone', icon: LockKeyholeOpen },
  missing: { role: 'bad', icon: TriangleAlert },
};

export function EncryptionCard({ encryption, now }: { encryption: Encryption; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { keys, unnamedValues, countedAt, counting } = encryption;
  const columns = ['key', 'state', 'values', 'since', 'todo'] as const;
  return (
    <DataCard title={t('trust.encryption')} note={t('trust.encryptionNote')}>
      <RotationStep encryption={encryption} />
      <DataTable name={t('trust.encryption')} columns={columns.map((name) => t(`trust.${name}`))}>
        {keys.map((key) => (
          <KeyRow key={key.id} encryptionKey={key} />
        ))}
      </DataTable>
      {unnamedValues > 0 ? (
        <p className={classes.foot}>
          <RoleBadge {...looks.missing}>
            {t('trust.unnamed', { count: unnamedValues, values: formats.count(unnamedValues) })}
          </RoleBadge>
        </p>
      ) : null}
      <p className={classes.foot}>
        {[
          countedAt === null
            ? undefined
            : t('trust.counted', { at: formats.recent(countedAt, now) }),
          counting
            ? t('trust.counting', { count: counting.rows, rows: formats.count(counting.rows) })
            : undefined,
        ]
          .filter((text) => text !== undefined)
          .join(' · ')}
      </p>
    </DataCard>
  );
}

function KeyRow({ encryptionKey }: { encryptionKey: EncryptionKey }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { id, state, values, since } = encryptionKey;
  const { role, icon } = looks[state];
  return (
    <tr>
      <td>
        <strong className="mono">{id}</strong>
      </td>
      <td>
        <RoleBadge role={role} icon={icon}>
          {t(`trust.${state}`)}
        </RoleBadge>
      </td>
      <td className="numeric" data-label={t('trust.values')}>
        {values === null ? '…' : formats.count(values)}
      </td>
      <td
        className="numeric"
        data-label={t('trust.since')}
        title={since === null ? undefined : formats.exact(since)}
      >
        {since === null ? '–' : formats.date(since)}
      </td>
      <td data-label={t('trust.todo')}>{t(`trust.do.${todoOf(encryptionKey)}`)}</td>
    </tr>
  );
}

function todoOf({ state, values, isSealing, mayBeRemoved }: EncryptionKey) {
  if (state !== 'old') return state;
  if (isSealing) return 'sealing';
  if (values === null) return 'unknown';
  return mayBeRemoved ? 'free' : 'needed';
}
