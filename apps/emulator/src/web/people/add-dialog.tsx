import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';

export interface AddDialogProps {
  title: string;
  opened: boolean;
  isBusy: boolean;
  onClose: () => void;
  /** Receives what the fields say, by their names. */
  onSubmit: (fields: Record<string, string>) => void;
  /** The fields. They are empty after each opening. */
  children: React.ReactNode;
}

/** A dialog that adds what its fields say. */
export function AddDialog({ title, opened, isBusy, onClose, onSubmit, children }: AddDialogProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // No field is a file.
    onSubmit(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  return (
    <Modal.Root opened={opened} onClose={onClose} centered>
      <Modal.Overlay />
      <Modal.Content radius="lg">
        <Modal.Body p="lg">
          <Modal.Title fz="lg" fw={700} mb="sm">
            {title}
          </Modal.Title>
          <form onSubmit={submit}>
            <Stack gap="sm">{children}</Stack>
            <Group justify="flex-end" mt="lg" gap="sm">
              <Button variant="default" onClick={onClose}>
                {t('shell.cancel')}
              </Button>
              <Button type="submit" loading={isBusy}>
                {t('people.add')}
              </Button>
            </Group>
          </form>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
