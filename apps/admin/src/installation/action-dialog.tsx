import { actionReasonSchema, type FleetInstallation } from '@dowel/schema';
import { Alert, Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { installationKey } from '../api/queries.ts';
import { describeFailure } from '../shared/describe-failure.ts';
import { Dialog, DialogFoot } from '../shared/dialog.tsx';
import type { OfferedAction } from './action-choices.ts';

export interface ActionDialogProps {
  action: OfferedAction;
  installation: FleetInstallation;
  onClose: () => void;
}

/** Says what will be done and what is not touched, and takes the reason for the audit. */
export function ActionDialog({ action, installation, onClose }: ActionDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const deed = useMutation({
    mutationFn: () => api.act(installation.id, action, reason.trim()),
    onSettled: () => queryClient.invalidateQueries({ queryKey: installationKey(installation.id) }),
  });
  const title = t(`action.${action}`);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (actionReasonSchema.safeParse(reason).success) deed.mutate();
  }

  return (
    <Dialog title={title} about={installation.host} onClose={onClose}>
      <form onSubmit={submit}>
        {deed.isSuccess ? (
          <p role="status">{t('action.done', { action: title })}</p>
        ) : (
          <>
            <p>{t(`action.what.${action}`)}</p>
            <TextInput
              label={t('action.reason')}
              description={t('action.reasonHint')}
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
              maxLength={500}
              data-autofocus
            />
          </>
        )}
        {deed.error ? (
          <Alert role="alert" title={t('action.failed')} classNames={{ message: 'alert-text' }}>
            {describeFailure(t, deed.error)}
          </Alert>
        ) : null}
        <DialogFoot>
          <Button variant="default" size="sm" onClick={onClose}>
            {deed.isSuccess ? t('dialog.close') : t('dialog.cancel')}
          </Button>
          {deed.isSuccess ? null : (
            <Button
              type="submit"
              size="sm"
              loading={deed.isPending}
              disabled={!actionReasonSchema.safeParse(reason).success}
            >
              {title}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
