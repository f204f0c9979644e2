/** One press of "Save": asks the plug-in's configuration page for its values and stores them. */
import type { Installation, Instance } from '@dowel/emulator/control-api';
import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { type RefObject, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { requestSaveJwt, saveWidgetConfig } from '../control-client.ts';
import { showDone } from '../toasts.ts';
import type { WidgetFrameHandle } from './widget-frame.tsx';

interface SaveWidgetOptions {
  installation: Installation;
  instance: Instance;
  /** Null once the dialog is closed. */
  frame: RefObject<WidgetFrameHandle | null>;
  onSaved: () => void;
  onClose: () => void;
}

export function useSaveWidget(options: SaveWidgetOptions) {
  const { t } = useTranslation();
  const { instance, frame, onSaved, onClose } = options;
  const isRunning = useRef(false);
  const save = useMutation({
    mutationFn: () => saveWidget(t, options),
    meta: { showsFailureItself: true },
    onSuccess: (outcome) => {
      if (outcome === 'saved') {
        onSaved();
        showDone(t, t('widget.saved', { title: instance.title }));
      }
      // The dialog may have been opened again.
      if (frame.current) onClose();
    },
    onSettled: () => {
      isRunning.current = false;
    },
  });

  return {
    error: save.error,
    isPending: save.isPending,
    start() {
      // The button shows the press only after the next rendering.
      if (isRunning.current) return;
      isRunning.current = true;
      save.mutate();
    },
  };
}

/** @throws ControlError when the emulator does not save, Error when the plug-in does not */
async function saveWidget(t: TFunction, { installation, instance, frame }: SaveWidgetOptions) {
  const { instanceId } = instance;
  const request = await requestSaveJwt(instanceId);
  const outcome = (await frame.current?.askToSave(request)) ?? { kind: 'unanswered' };
  if (outcome.kind === 'unchanged') return 'unchanged';
  if (outcome.kind !== 'config') throw new Error(t(`widget.${outcome.kind}`));
  await saveWidgetConfig({ pluginId: installation.pluginId, instanceId }, outcome.config);
  return 'saved';
}
