/** One press of "Save": asks the plug-in's configuration page for its values and stores them. */
import type { Installation, Instance } from '@dowel/emulator/control-api';
import { useMutation } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import { requestSaveJwt, saveWidgetConfig } from '../control-client.ts';
import { showDone } from '../toasts.ts';
import type { SaveOutcome } from './frame-protocol.ts';
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
  const { instance, frame, onSaved, onClose } = options;
  const isRunning = useRef(false);
  const save = useMutation({
    mutationFn: () => saveWidget(options),
    meta: { showsFailureItself: true },
    onSuccess: (outcome) => {
      if (outcome === 'saved') {
        onSaved();
        showDone(`The widget ${instance.title} is configured.`);
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
async function saveWidget({ installation, instance, frame }: SaveWidgetOptions) {
  const { instanceId } = instance;
  const request = await requestSaveJwt(instanceId);
  const outcome = (await frame.current?.askToSave(request)) ?? { kind: 'unanswered' };
  if (outcome.kind === 'unchanged') return 'unchanged';
  if (outcome.kind !== 'config') throw new Error(describeOutcome(outcome.kind));
  await saveWidgetConfig({ pluginId: installation.pluginId, instanceId }, outcome.config);
  return 'saved';
}

function describeOutcome(kind: Exclude<SaveOutcome['kind'], 'config' | 'unchanged'>): string {
  switch (kind) {
    case 'refused':
      return 'The plug-in did not accept it. Its own page says why.';
    case 'unreadable':
      return 'The plug-in answered, but neither true, false nor a JSON object.';
    case 'unanswered':
      return 'The plug-in did not answer. Wait until its page is ready, then save again.';
  }
}
