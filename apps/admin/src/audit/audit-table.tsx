import {
  type AuditEntry,
  type AuditResult,
  alertChannelSchema,
  isAuditedAction,
  signInMethodSchema,
} from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import Check from 'lucide-react/icons/check';
import Hourglass from 'lucide-react/icons/hourglass';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { DataTable } from '../shared/data-table.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './audit-page.module.css';
import { describeDetail } from './describe-detail.ts';

const looks: Readonly<Record<AuditResult, { role: Role; icon: typeof Check }>> = {
  begun: { role: 'note', icon: Hourglass },
  done: { role: 'ok', icon: Check },
  unchanged: { role: 'gone', icon: Check },
  refused: { role: 'risk', icon: X },
  failed: { role: 'bad', icon: X },
};

const columns = ['when', 'by', 'what', 'on', 'reason', 'from', 'result'] as const;

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation();
  return (
    <div className={`card ${classes.card}`}>
      <DataTable name={t('nav.audit')} columns={columns.map((column) => t(`audit.${column}`))}>
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </DataTable>
    </div>
  );
}

/** The text for targets that are no installation: the action of a run, the way of a sign-in, a channel, or a name. */
function describeTarget(t: TFunction, { action, target }: AuditEntry): string {
  if (target === null) return '–';
  switch (action) {
    case 'start-run':
    case 'stop-run':
      return isAuditedAction(target) ? t(`audit.actions.${target}`) : target;
    case 'sign-in': {
      const { data: method } = signInMethodSchema.safeParse(target);
      return method ? t(`people.method.${method}`) : target;
    }
    case 'test-alerts': {
      const { data: channel } = alertChannelSchema.safeParse(target);
      return channel ? t(`alerts.channelName.${channel}`) : target;
    }
    default:
      return target;
  }
}

function AuditRow({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { installationId: id, target } = entry;
  const became = describeDetail({ t, formats }, entry);
  return (
    <tr className={classes.entry}>
      <td className={`numeric ${classes.when}`} title={formats.exact(entry.at)}>
        {formats.moment(entry.at)}
      </td>
      <td className={classes.by}>
        <Link
          to="/audit"
          search={(before) => ({ ...before, who: entry.who })}
          className={classes.name}
        >
          {entry.who}
        </Link>
        <div className={classes.note}>
          {t(`role.${entry.role}`)}
          {entry.identity ? ` · ${t(`people.method.${entry.identity.method}`)}` : null}
        </div>
      </td>
      <td className={classes.what}>
        {isAuditedAction(entry.action) ? t(`audit.actions.${entry.action}`) : null}
        <div className={`mono ${classes.note}`}>{entry.action}</div>
      </td>
      <td className={`breakable ${classes.target}`}>
        {id === null ? describeTarget(t, entry) : null}
        {id === null ? null : (
          <Link to="/installations/$id" params={{ id }}>
            {target ?? id}
          </Link>
        )}
      </td>
      <td className={`dimmed breakable ${entry.reason === null ? classes.none : classes.reason}`}>
        {entry.reason ?? '–'}
      </td>
      <td className={classes.from}>
        {t(`audit.way.${entry.way}`)}
        <div className={classes.note}>{entry.from}</div>
      </td>
      <td className={classes.result}>
        <RoleBadge {...looks[entry.result]}>{t(`audit.results.${entry.result}`)}</RoleBadge>
        {entry.count > 1 ? (
          <div className={classes.note}>
            {t('audit.times', {
              number: formats.count(entry.count),
              at: formats.moment(entry.lastAt),
            })}
          </div>
        ) : null}
        {became ? (
          <div className={`breakable ${classes.note} ${classes.became}`}>{became}</div>
        ) : null}
      </td>
    </tr>
  );
}
