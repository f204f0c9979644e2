import { isRoleEnough, settingGroupSchema } from '@dowel/admin-api';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ChangedChips } from './changed-chips.tsx';
import { SettingsCard } from './settings-card.tsx';
import classes from './settings-page.module.css';
import { settingsQuery } from './settings-query.ts';
import { VersionsCard } from './versions-card.tsx';

/** The settings in effect, and their sources. */
export function SettingsPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.settings'));
  const role = useRole();
  if (!role) return null;
  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.settings')}</h1>
      {isRoleEnough(role, 'operator') ? (
        <AllSettings />
      ) : (
        <p className="dimmed">{t('settings.onlyOperators')}</p>
      )}
    </div>
  );
}

function AllSettings() {
  const { t } = useTranslation();
  const formats = useFormats();
  const { data, error, isPending, refetch } = useQuery(settingsQuery(useApi()));
  const [isChangedOnly, setIsChangedOnly] = useState(false);
  if (error && !data) {
    return (
      <QueryFailure title={t('settings.failed')} error={error} onRetry={() => void refetch()} />
    );
  }
  if (isPending) {
    return [140, 320, 240].map((height) => <Skeleton key={height} height={height} radius={10} />);
  }
  const { settings, process, now } = data;
  const changed = settings.filter(({ source }) => source !== 'default');
  const shown = isChangedOnly ? changed : settings;
  return (
    <>
      <p className={`dimmed ${classes.note}`}>
        {t('settings.note', {
          pid: process.pid,
          at: formats.recent(process.startedAt, now),
        })}
      </p>
      <VersionsCard answer={data} />
      <ChangedChips
        all={settings.length}
        changed={changed.length}
        isChangedOnly={isChangedOnly}
        onChange={setIsChangedOnly}
      />
      {shown.length === 0 ? <p className="dimmed">{t('settings.unchanged')}</p> : null}
      {settingGroupSchema.options.map((group) => (
        <SettingsCard
          key={group}
          group={group}
          settings={shown.filter((each) => each.group === group)}
        />
      ))}
    </>
  );
}
