import type { EncryptionKey, Keys } from '@dowel/schema';
import Check from 'lucide-react/icons/check';
import LockKeyholeOpen from 'lucide-react/icons/lock-keyhole-open';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './keys-page.module.css';
import { RotationStep } from './rotation-step.tsx';
import { ShareBar } from './share-bar.tsx';

type Encryption = Keys['encryption'];

const looks: Readonly<Record<EncryptionKey['state'], { role: Role; icon: typeof Check }>> = {
  active: { role: 'ok', icon: Check },
  old: { role: 'gone', icon: LockKeyholeOpen },
  missing: { role: 'bad', icon: TriangleAlert },
};

export function EncryptionCard({ encryption, now }: { encryption: Encryption; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { keys, usesLimit, unnamedValues, countedAt, counting } = encryption;
  const columns = ['key', 'state', 'values', 'uses', 'since', 'todo'] as const;
  return (
    <DataCard title={t('trust.encryption')} note={t('trust.encryptionNote')}>
      <RotationStep encryption={encryption} />
      <DataTable name={t('trust.encryption')} columns={columns.map((name) => t(`trust.${name}`))}>
        {keys.map((key) => (
          <KeyRow key={key.id} encryptionKey={key} usesLimit={usesLimit} />
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

function KeyRow({ encryptionKey, usesLimit }: { encryptionKey: EncryptionKey; usesLimit: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { id, state, values, uses, since } = encryptionKey;
  const { role, icon } = looks[state];
  const share = uses / usesLimit;
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
      <td data-label={t('trust.uses')}>
        <div className={classes.uses} data-tone={share > 0.75 ? 'risk' : undefined}>
          <ShareBar
            share={share}
            label={t('trust.usesName', {
              uses: formats.count(uses),
              share: formats.percent(share),
            })}
          />
          <span className="numeric dimmed">{formats.percent(share)}</span>
        </div>
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

function todoOf({ state, values, mayBeRemoved }: EncryptionKey) {
  if (state !== 'old') return state;
  if (values === null) return 'unknown';
  return mayBeRemoved ? 'free' : 'needed';
}
