import { mayAct, type RunAction } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { actionLetters, actionTexts } from '../shared/action-texts.ts';
import { Dialog, DialogFoot } from '../shared/dialog.tsx';
import { useKeys } from '../shared/use-keys.ts';
import { RunDialog } from './run-dialog.tsx';
import type { RunTarget } from './run-target.ts';
import { runsQuery } from './runs-query.ts';

export interface RunKeysProps {
  /** The selection, or the row with the frame; undefined: neither exists. */
  target: RunTarget | undefined;
  /** True: the shown installations are paused, and the key resumes. */
  isPaused: boolean;
  onStarted: (runId: string) => void;
}

/** The letters of the actions in the list: each opens its confirmation, or shows why it is impossible. */
export function RunKeys({ target, isPaused, onStarted }: RunKeysProps) {
  const { t } = useTranslation();
  const api = useApi();
  const role = useRole();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<{ action: RunAction; target: RunTarget }>();
  const actions = ['ask', 'refresh', 'test', isPaused ? 'resume' : 'pause'] as const;

  function propose(action: RunAction): boolean {
    if (!target) return false;
    setOpen({ action, target });
    return true;
  }

  function start(runId: string): void {
    // A person may have closed this dialog meanwhile, and opened another one.
    setOpen((now) => (now === open ? undefined : now));
    onStarted(runId);
    void queryClient.invalidateQueries({ queryKey: runsQuery(api).queryKey });
  }

  const keys = actions.map((action) => [actionLetters[action], () => propose(action)] as const);
  useKeys(Object.fromEntries(keys));

  if (!open) return null;
  const close = () => setOpen(undefined);
  if (role !== undefined && mayAct(role, open.action)) {
    const { action, target: chosen } = open;
    return <RunDialog target={chosen} proposal={action} onStarted={start} onClose={close} />;
  }
  return (
    <Dialog title={t(`action.${actionTexts[open.action]}`)} onClose={close}>
      <p role="status">{t('action.onlyOperators')}</p>
      <DialogFoot>
        <Button variant="default" size="sm" onClick={close} data-autofocus>
          {t('dialog.close')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
