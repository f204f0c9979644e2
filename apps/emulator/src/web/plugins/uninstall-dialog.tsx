import type { Installation } from '@dowel/emulator/control-api';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useUninstall } from './plugin-mutations.ts';

export interface UninstallDialogProps {
  installation: Installation;
  opened: boolean;
  onClose: () => void;
}

export function UninstallDialog({ installation, opened, onClose }: UninstallDialogProps) {
  const { t } = useTranslation();
  const uninstall = useUninstall(installation);
  const { name } = installation;

  return (
    <Modal.Root opened={opened} onClose={onClose} centered>
      <Modal.Overlay />
      <Modal.Content radius="lg">
        <Modal.Body p="lg">
          <Modal.Title fz="lg" fw={700} mb="xs">
            {t('installation.uninstallTitle', { name })}
          </Modal.Title>
          <Text size="sm">{t('installation.uninstallLead', { name })}</Text>
          <Group justify="flex-end" mt="lg" gap="sm">
            <Button variant="default" onClick={onClose} data-autofocus>
              {t('shell.cancel')}
            </Button>
            <Button
              color="red"
              loading={uninstall.isPending}
              onClick={() => uninstall.mutate(undefined, { onSettled: onClose })}
            >
              {t('installation.uninstall')}
            </Button>
          </Group>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
