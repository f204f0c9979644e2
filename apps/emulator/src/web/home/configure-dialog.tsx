/** The plug-in's configuration page in a dialog, with the platform's buttons below it. */
import type { Installation, Instance } from '@dowel/emulator/control-api';
import { Button, Group, Modal } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../error-alert.tsx';
import { useSaveWidget } from './use-save-widget.ts';
import { WidgetFrame, type WidgetFrameHandle } from './widget-frame.tsx';

export interface ConfigureDialogProps {
  installation: Installation;
  instance: Instance;
  opened: boolean;
  onClose: () => void;
  /** Another configuration is stored. */
  onSaved: () => void;
}

export function ConfigureDialog({ opened, ...props }: ConfigureDialogProps) {
  const { t } = useTranslation();
  const { instance, onClose } = props;
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      // A click outside of the dialog does not discard the input.
      closeOnClickOutside={false}
      // Removes the frame with the dialog: an answer after "Cancel" stores nothing.
      transitionProps={{ duration: 0 }}
      size="lg"
      centered
    >
      <Modal.Overlay />
      <Modal.Content radius="lg">
        {/* Mantine's own header would be a second banner of the page. */}
        <div className="configure-head">
          <Modal.Title fz="lg" fw={700}>
            {t('widget.configureTitle', { title: instance.title })}
          </Modal.Title>
          <Modal.CloseButton aria-label={t('widget.close')} />
        </div>
        <Modal.Body p={0}>
          <ConfigurePage {...props} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Rendered only while the dialog is open, so that each opening starts with new state. */
function ConfigurePage(props: Omit<ConfigureDialogProps, 'opened'>) {
  const { t } = useTranslation();
  const { installation, instance, onClose } = props;
  const frame = useRef<WidgetFrameHandle>(null);
  const save = useSaveWidget({ ...props, frame });

  return (
    <>
      <WidgetFrame
        ref={frame}
        instanceId={instance.instanceId}
        src={instance.src}
        view="config"
        url={instance.configUrl ?? 'about:blank'}
        height={null}
        title={t('widget.configuration', { name: installation.name })}
      />
      <div className="configure-foot">
        {save.error && <ErrorAlert title={t('widget.notSaved')} error={save.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('shell.cancel')}
          </Button>
          <Button loading={save.isPending} onClick={save.start}>
            {t('widget.save')}
          </Button>
        </Group>
      </div>
    </>
  );
}
