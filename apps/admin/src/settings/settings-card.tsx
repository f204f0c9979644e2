import type { Setting, SettingGroup } from '@dowel/admin-api';
import KeyRound from 'lucide-react/icons/key-round';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './settings-page.module.css';

const sourceRoles: Readonly<Record<Setting['source'], Role>> = {
  option: 'hold',
  environment: 'note',
  default: 'gone',
};

const minuteMs = 60_000;
const secretLook = { role: 'ok', icon: KeyRound } as const;

/** The settings of one group; renders nothing without any. */
export function SettingsCard({
  group,
  settings,
}: {
  group: SettingGroup;
  settings: readonly Setting[];
}) {
  const { t } = useTranslation();
  if (settings.length === 0) return null;
  const title = t(`settings.group.${group}`);
  return (
    <DataCard title={title}>
      <div className={classes.table}>
        <DataTable
          name={title}
          columns={[t('settings.setting'), t('settings.value'), t('settings.from')]}
        >
          {settings.map((setting) => (
            <SettingRow key={setting.name} setting={setting} />
          ))}
        </DataTable>
      </div>
    </DataCard>
  );
}

function SettingRow({ setting }: { setting: Setting }) {
  const { t, i18n } = useTranslation();
  const { name, label, option, source, note } = setting;
  return (
    <tr>
      <td>
        <div className={classes.label}>{label[i18n.language === 'de' ? 'de' : 'en']}</div>
        <code className={classes.name} title={option ?? undefined}>
          {name}
        </code>
      </td>
      <td className="breakable">
        <SettingValue setting={setting} />
        {note ? <div className={classes.remark}>{t(`settings.remark.${note}`)}</div> : null}
      </td>
      <td data-label={t('settings.from')}>
        <RoleBadge role={sourceRoles[source]} isOutline={source === 'default'}>
          {t(`settings.source.${source}`)}
        </RoleBadge>
      </td>
    </tr>
  );
}

function SettingValue({ setting: { values, unit, secret, note } }: { setting: Setting }) {
  const { t } = useTranslation();
  const formats = useFormats();

  function spell(value: number, by: NonNullable<Setting['unit']>): string {
    if (by === 'count') return formats.count(value);
    if (by === 'ms' && value >= minuteMs && value % minuteMs === 0) return formats.age(value);
    if (by === 'ms' && value >= 1_000) {
      return t('settings.unit.s', { n: formats.count(value / 1_000) });
    }
    return t(`settings.unit.${by}`, { n: formats.count(value) });
  }

  if (secret) {
    const { fingerprint } = secret;
    return (
      <RoleBadge {...secretLook}>
        {fingerprint === null ? t('settings.secret') : t('settings.fingerprint', { fingerprint })}
      </RoleBadge>
    );
  }
  if (values.length === 0) {
    return note ? null : <span className="dimmed">{t('settings.none')}</span>;
  }
  if (unit) {
    return values.map((value) => spell(Number(value), unit)).join(' · ');
  }
  return values.map((value) => (
    <div key={value}>
      <code>{value}</code>
    </div>
  ));
}
