import type { FleetDetail, FleetInstallation } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useAction } from '../api/use-action.ts';
import { actionTexts, isSent, type OfferedAction } from './action-texts.ts';
import { KeepDialog } from './keep-dialog.tsx';
import { PurgeDialog } from './purge-dialog.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

export interface ActionDialogProps {
  action: OfferedAction;
  detail: FleetDetail;
  onClose: () => void;
}

/** Confirms an action with a reason and its other inputs. */
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

/** The dialog of an action that needs only a reason. */
function PlainDialog({ action, installation, onClose }: PlainDialogProps) {
  const { t } = useTranslation();
  const { id } = installation;
  const act = useAction(id);
  const what = t(`action.what.${actionTexts[action]}`);
  return (
    <ReasonDialog
      title={t(`action.${actionTexts[action]}`)}
      about={installation.name || installation.host}
      what={isSent(action) ? `${what} ${t('action.howLong')}` : what}
      command={[action, id]}
      perform={(reason) => act(action, { reason })}
      onClose={onClose}
    />
  );
}
