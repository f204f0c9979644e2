import type { Installation, UpdateOffer as Offer } from '@dowel/emulator/control-api';
import { Alert, Button, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import FileDiff from 'lucide-react/icons/file-diff';
import { useTranslation } from 'react-i18next';
import { ControlError } from '../control-client.ts';
import { updateOfferQuery } from '../control-queries.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { useInstallAgain } from './plugin-mutations.ts';

/** What only another installation brings (Spec §3). */
const needsInstall = ['accessChanged', 'lifecycleChanged'];

export interface UpdateOfferProps {
  installation: Installation;
  onUpdate: () => void;
  isUpdating: boolean;
}

/** Watches the manifest: what an update would change and send, or why the manifest cannot be used. */
export function UpdateOffer(props: UpdateOfferProps) {
  const { t } = useTranslation();
  const { changes = [], problem } =
    useQuery(updateOfferQuery(props.installation.pluginId)).data ?? {};
  return (
    <>
      {problem && (
        <ErrorAlert
          title={t('offer.problem')}
          error={new ControlError(problem, { status: null })}
        />
      )}
      {changes.length > 0 && <Changes {...props} changes={changes} />}
    </>
  );
}

function Changes({
  installation,
  onUpdate,
  isUpdating,
  changes,
}: UpdateOfferProps & Pick<Offer, 'changes'>) {
  const { t } = useTranslation();
  const again = useInstallAgain(installation);
  const sends = changes.some(({ kind }) => kind === 'accessAdded');
  const offersInstall = changes.some(({ kind }) => needsInstall.includes(kind));
  return (
    <Alert
      color="teal"
      icon={<FileDiff size={20} aria-hidden />}
      title={t(sends ? 'offer.sends' : 'offer.sendsNothing')}
    >
      <List size="sm">
        {changes.map(({ kind, entryPoint: name }) => (
          <List.Item key={`${kind} ${name}`}>{t(`offer.${kind}`, { name })}</List.Item>
        ))}
      </List>
      {offersInstall && (
        <Text size="sm" mt="xs">
          {t('offer.installAgainHint')}
        </Text>
      )}
      <Group gap="xs" mt="sm">
        <Button size="sm" loading={isUpdating} onClick={onUpdate}>
          {t('installation.update')}
        </Button>
        {offersInstall && (
          <Button
            variant="default"
            size="sm"
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            {t('offer.installAgain')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
