import type { FleetDetail, FleetInstallation } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useAction } from '../api/use-action.ts';
import { actionTexts, type OfferedAction } from './action-texts.ts';
import { KeepDialog } from './keep-dialog.tsx';
import { PurgeDialog } from './purge-dialog.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

export interface ActionDialogProps {
  action: OfferedAction;
  detail: FleetDetail;
  onClose: () => void;
}

/** Confirms an action with its reason, and what else it needs. */
export function ActionDialog({ action, detail, onClose }: ActionDialogProps) {
  const { installation } = detail;
  if (action === 'keep') return <KeepDialog detail={detail} onClose={onClose} />;
  if (action === 'purge') return <PurgeDialog installation={installation} onClose={onClose} />;
  return <PlainDialog action={action} installation={installation} onClose={onClose} />;
}

interface PlainDialogProps {
  action: Exclude<OfferedAction, 'keep' | 'purge'>;
  installation: FleetInstallation;
  onClose: () => void;
}

/** Of an action that needs nothing but a reason. */
function PlainDialog({ action, installation, onClose }: PlainDialogProps) {
  const { t } = useTranslation();
  const act = useAction(installation.id);
  return (
    <ReasonDialog
      title={t(`action.${actionTexts[action]}`)}
      about={installation.name || installation.host}
      what={t(`action.what.${actionTexts[action]}`)}
      perform={(reason) => act(action, { reason })}
      onClose={onClose}
    />
  );
}
