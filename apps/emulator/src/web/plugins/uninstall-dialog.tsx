import type { Installation } from '@dowel/emulator/control-api';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useUninstall } from './plugin-mutations.ts';

export interface UninstallDialogProps {
  installation: Installation;
  opened: boolean;
  onClose: () => void;
}

export function UninstallDialog({ installation, opened, onClose }: UninstallDialogProps) {
  const uninstall = useUninstall(installation);
  const { name } = installation;

  return (
    <Modal.Root opened={opened} onClose={onClose} centered>
      <Modal.Overlay />
      <Modal.Content radius="lg">
        <Modal.Body p="lg">
          <Modal.Title fz="lg" fw={700} mb="xs">
            Uninstall {name}?
          </Modal.Title>
          <Text size="sm">
            {name} gets an uninstall event, its widgets leave the home page and its tokens end. You
            can install it again from the same manifest.
          </Text>
          <Group justify="flex-end" mt="lg" gap="sm">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red"
              loading={uninstall.isPending}
              onClick={() => uninstall.mutate(undefined, { onSettled: onClose })}
            >
              Uninstall
            </Button>
          </Group>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
