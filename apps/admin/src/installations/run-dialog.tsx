import { type RunAction, runActionSchema, type StateGroup } from '@dowel/schema';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useFormats } from '../i18n/formats.ts';
import { actionTexts } from '../shared/action-texts.ts';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import { describeFilter } from './describe-filter.ts';
import { type RunTarget, toRunTarget } from './run-target.ts';

export interface RunDialogProps {
  target: RunTarget;
  /** The action that is proposed. Default: what mostly helps. */
  proposal?: RunAction;
  onStarted: (runId: string) => void;
  onClose: () => void;
}

/** What mostly helps the installations of a group. */
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
  const filter = describeFilter(t, search) ?? t('shell.allInstallations');

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
      about={ids ? t('run.chosen') : filter}
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
      <p className="dimmed">{t('run.how')}</p>
    </ReasonDialog>
  );
}
