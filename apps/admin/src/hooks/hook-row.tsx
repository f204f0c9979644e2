import { mayAct, type ParkedHookEntry } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import { Age } from '../shared/age.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { shortId } from '../shared/short-id.ts';
import type { HookAction } from './hook-dialog.tsx';
import classes from './hooks-page.module.css';

export interface HookRowProps {
  delivery: ParkedHookEntry;
  onAction: (action: HookAction) => void;
}

export function HookRow({ delivery, onAction }: HookRowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const role = useRole();
  const { installation, hook, attempts, replays, occurredAt, parkedAt, lastError } = delivery;
  const tenant = installation.name || installation.host;
  const mayDo = role !== undefined && mayAct(role, 'replay-hook');
  const hindrance = mayDo ? undefined : t('action.onlyOperators');
  return (
    <tr>
      <td>
        <Link to="/installations/$id" params={{ id: installation.id }} className="breakable">
          {tenant}
        </Link>
        <div className={`mono ${classes.note}`}>{shortId(installation.tenantId)}</div>
      </td>
      <td>
        <code>{hook}</code>
        <div className={classes.note} title={formats.exact(occurredAt)}>
          {t('hooks.of', { time: formats.moment(occurredAt) })}
        </div>
      </td>
      <td className={`breakable ${classes.error}`}>
        {lastError}
        <div className={classes.note}>
          {t('hooks.attempts', { count: attempts })}
          {replays > 0 ? `, ${t('hooks.replays', { count: replays })}` : null}
        </div>
      </td>
      <td data-label={t('hooks.parkedFor')}>
        <Age since={parkedAt} />
      </td>
      <td className={classes.actions}>
        <HinderedButton
          hindrance={hindrance}
          label={t('hooks.replayOf', { hook, tenant })}
          onClick={() => onAction({ action: 'replay-hook', delivery })}
        >
          {t('hooks.replay')}
        </HinderedButton>{' '}
        <HinderedButton
          hindrance={hindrance}
          label={t('hooks.dropOf', { hook, tenant })}
          onClick={() => onAction({ action: 'drop-hook', delivery })}
        >
          {t('hooks.drop')}
        </HinderedButton>
      </td>
    </tr>
  );
}
