import { mayAct } from '@dowel/admin-api';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { RunDialog } from './run-dialog.tsx';
import type { RunTarget } from './run-target.ts';
import { runsQuery } from './runs-query.ts';

export interface RunButtonProps {
  target: RunTarget;
  /** The button's text. */
  name: string;
  onStarted: (runId: string) => void;
}

/** Opens the choice of an action on many installations. */
export function RunButton({ target, name, onStarted }: RunButtonProps) {
  const { t } = useTranslation();
  const api = useApi();
  const role = useRole();
  const queryClient = useQueryClient();
  /** One object for each opening. */
  const [open, setOpen] = useState<object>();

  function start(runId: string): void {
    // A person may have closed this dialog meanwhile, and opened another one.
    setOpen((now) => (now === open ? undefined : now));
    onStarted(runId);
    void queryClient.invalidateQueries({ queryKey: runsQuery(api).queryKey });
  }

  const mayRun = role !== undefined && mayAct(role, 'ask');
  return (
    <>
      <HinderedButton
        hindrance={mayRun ? undefined : t('action.onlyOperators')}
        onClick={() => setOpen({})}
      >
        {name}
      </HinderedButton>
      {open ? (
        <RunDialog target={target} onStarted={start} onClose={() => setOpen(undefined)} />
      ) : null}
    </>
  );
}
