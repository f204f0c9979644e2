import type { FleetInstallation } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { ReasonDialog } from '../shared/reason-dialog.tsx';
import type { OfferedAction } from './action-choices.ts';
import { useAction } from './use-action.ts';

export interface ActionDialogProps {
  action: OfferedAction;
  installation: FleetInstallation;
  onClose: () => void;
}

/** Confirms an action that needs nothing but a reason. */
export function ActionDialog({ action, installation, onClose }: ActionDialogProps) {
  const { t } = useTranslation();
  const act = useAction(installation.id);
  return (
    <ReasonDialog
      title={t(`action.${action}`)}
      about={installation.name || installation.host}
      what={t(`action.what.${action}`)}
      perform={(reason) => act(action, { reason })}
      onClose={onClose}
    />
  );
}
