import { type RunAction, runActionSchema, type StateGroup } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFleetRows } from '../api/fleet-rows.ts';
import { useFleet } from '../api/use-fleet.ts';
import { type Formats, useFormats } from '../i18n/formats.ts';
import { actionTexts, isSent } from '../shared/action-texts.ts';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { describeFilter } from './describe-filter.ts';
import { type RunTarget, toRunTarget } from './run-target.ts';

export interface RunDialogProps {
  target: RunTarget;
  /** The proposed action. Default: by the group of states. */
  proposal?: RunAction;
  onStarted: (runId: string) => void;
  onClose: () => void;
}

/** The action that helps most installations of a group. */
const proposals: Partial<Record<StateGroup, RunAction>> = { paused: 'resume', working: 'test' };

/** Confirms one action on many installations. */
export function RunDialog({ target, proposal, onStarted, onClose }: RunDialogProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const api = useApi();
  const { ids, search, count } = target;
  const [action, setAction] = useState<RunAction>(
    proposal ?? (search.group && proposals[search.group]) ?? 'ask',
  );
  const name = (each: RunAction) => t(`action.${actionTexts[each]}`);
  const filter = describeFilter(t, search, useFleet()?.causes) ?? t('shell.allInstallations');
  const [first = '', ...others] = ids ?? [];
  const only = useFleetRows().get(others.length === 0 ? first : '');
  // The one row with the frame may be out of view.
  const about = only ? only.name || only.host : ids ? t('run.chosen') : filter;

  async function perform(reason: string): Promise<undefined> {
    const { id } = await api.startRun({ action, reason, ...toRunTarget(target) });
    onStarted(id);
  }

  return (
    <ReasonDialog
      title={
        count === undefined
          ? t('run.titleMatching', { action: name(action) })
          : t('run.title', { action: name(action), count, number: formats.count(count) })
      }
      about={about}
      what={t(`action.what.${actionTexts[action]}`)}
      perform={perform}
      onClose={onClose}
    >
      <NativeSelect
        label={t('run.action')}
        value={action}
        onChange={({ currentTarget }) => setAction(runActionSchema.parse(currentTarget.value))}
        data={runActionSchema.options.map((each) => ({ value: each, label: name(each) }))}
        data-autofocus
      />
      {action === 'ask' && search.cause === 'scope_missing' ? <p>{t('run.tryOne')}</p> : null}
      <p>
        {t(`run.leftOut.${actionTexts[action]}`)}
        {` ${describeDuration(t, formats, action, count)}`}
      </p>
      <p className="dimmed">
        {t('run.how')} {t('run.command', { action })}
      </p>
    </ReasonDialog>
  );
}

/** Two installations are worked on at a time (packages/server/src/actions/runs.ts). */
const pairMs = { sent: 1_000, stored: 20 };

function describeDuration(
  t: TFunction,
  formats: Formats,
  action: RunAction,
  count: number | undefined,
): string {
  const ms = Math.ceil((count ?? 1_000) / 2) * (isSent(action) ? pairMs.sent : pairMs.stored);
  const time = formats.age(Math.max(1_000, ms));
  if (count === undefined) {
    return t(isSent(action) ? 'run.thousandSent' : 'run.thousand', { time });
  }
  return t(isSent(action) ? 'run.howLongSent' : 'run.howLong', { time });
}
