import { actionReasonSchema } from '@dowel/schema';
import { Alert, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure } from './describe-failure.ts';
import { Dialog, DialogFoot } from './dialog.tsx';

export interface ReasonDialogProps {
  /** Of the dialog and of the button that does it. */
  title: string;
  /** On what it is done. */
  about: string;
  /** What will be done, and what is not touched. */
  what: string;
  /** Fields before the reason. */
  children?: ReactNode;
  /** Whether those fields are filled in. */
  isComplete?: boolean;
  /** Does it. @returns what was done in words, if it says so. */
  perform: (reason: string) => Promise<string | undefined>;
  onClose: () => void;
}

/** Confirms one thing that an operator does, and takes the reason for the audit. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, about, what, children, isComplete = true, perform, onClose } = props;
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const deed = useMutation({ mutationFn: () => perform(reason.trim()) });
  const mayStart = isComplete && actionReasonSchema.safeParse(reason).success;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (mayStart && !deed.isPending) deed.mutate();
  }

  if (deed.isSuccess) {
    return (
      <Dialog title={title} about={about} onClose={onClose}>
        <p role="status">{deed.data ?? t('action.done', { action: title })}</p>
        <DialogFoot>
          <Button variant="default" size="sm" onClick={onClose} data-autofocus>
            {t('dialog.close')}
          </Button>
        </DialogFoot>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} about={about} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{what}</p>
        {children}
        <TextInput
          label={t('action.reason')}
          description={t('action.reasonHint')}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          maxLength={500}
          data-autofocus={children === undefined || undefined}
        />
        {deed.error ? (
          <Alert role="alert" title={t('action.failed')} classNames={{ message: 'alert-text' }}>
            {describeFailure(t, deed.error)}
          </Alert>
        ) : null}
        <DialogFoot>
          <Button variant="default" size="sm" onClick={onClose}>
            {t('dialog.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={deed.isPending} disabled={!mayStart}>
            {title}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
