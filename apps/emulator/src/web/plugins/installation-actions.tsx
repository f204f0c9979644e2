import type { Installation } from '@dowel/emulator/control-api';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import Send from 'lucide-react/icons/send';
import ShieldOff from 'lucide-react/icons/shield-off';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateOfferQuery } from '../control-queries.ts';
import { useRevokeTokens, useSendAccessTokenEvent } from './plugin-mutations.ts';
import { UninstallDialog } from './uninstall-dialog.tsx';

export interface InstallationActionsProps {
  installation: Installation;
  onUpdate: () => void;
  isUpdating: boolean;
}

export function InstallationActions(props: InstallationActionsProps) {
  const { t } = useTranslation();
  const { installation, onUpdate, isUpdating } = props;
  const offer = useQuery(updateOfferQuery(installation.pluginId)).data;
  // The offer has a button of its own.
  const isOffered = offer !== undefined && offer.changes.length > 0;
  const [asksToUninstall, setAsksToUninstall] = useState(false);

  return (
    <div className="installation-actions">
      {!isOffered && (
        <Button
          variant="default"
          size="sm"
          leftSection={<RefreshCw size={16} aria-hidden />}
          loading={isUpdating}
          onClick={onUpdate}
        >
          {t('installation.update')}
        </Button>
      )}
      {installation.requestedScopes.length > 0 && <TokenActions installation={installation} />}
      <Button
        className="installation-actions-end"
        variant="light"
        color="red"
        size="sm"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={() => setAsksToUninstall(true)}
      >
        {t('installation.uninstall')}
      </Button>
      <UninstallDialog
        installation={installation}
        opened={asksToUninstall}
        onClose={() => setAsksToUninstall(false)}
      />
    </div>
  );
}

function TokenActions({ installation }: { installation: Installation }) {
  const { t } = useTranslation();
  const sendEvent = useSendAccessTokenEvent(installation);
  const revoke = useRevokeTokens(installation);
  const isRevoking = (what: typeof revoke.variables) =>
    revoke.isPending && revoke.variables === what;

  return (
    <>
      <Button
        variant="default"
        size="sm"
        leftSection={<Send size={16} aria-hidden />}
        loading={sendEvent.isPending}
        onClick={() => sendEvent.mutate()}
      >
        {t('installation.sendEvent')}
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<ShieldOff size={16} aria-hidden />}
        loading={isRevoking('accessTokens')}
        onClick={() => revoke.mutate('accessTokens')}
      >
        {t('installation.revokeAccessTokens')}
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<KeyRound size={16} aria-hidden />}
        loading={isRevoking('refreshTokens')}
        onClick={() => revoke.mutate('refreshTokens')}
      >
        {t('installation.revokeRefreshTokens')}
      </Button>
    </>
  );
}
