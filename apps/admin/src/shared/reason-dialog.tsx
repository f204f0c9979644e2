import { actionReasonSchema } from '@dowel/admin-api';
import { Alert, Button, TextInput } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandLine, type CommandWords } from './command-line.tsx';
import { describeFailure } from './describe-failure.ts';
import classes from './dialog.module.css';
import { Dialog, DialogFoot } from './dialog.tsx';

export interface ReasonDialogProps {
  /** The title of the dialog and of its button. */
  title: string;
  /** The subject of the action. */
  about: string;
  /** Explains the effect of the action, and what it does not change. */
  what: string;
  /** Fields before the reason. */
  children?: ReactNode;
  /** Whether those fields are filled in. */
  isComplete?: boolean;
  /** The same as a command. Undefined: there is none. */
  command?: CommandWords;
  /** Performs the action. @returns what to show of the result, if anything. */
  perform: (reason: string) => Promise<ReactNode>;
  onClose: () => void;
}

/** Confirms one action of an operator, and asks for the reason for the audit. */
export function ReasonDialog({ perform, ...props }: ReasonDialogProps) {
  const { title, about, onClose } = props;
  const { t } = useTranslation();
  const action = useMutation({ mutationFn: (reason: string) => perform(reason) });
  return (
    <Dialog title={title} about={about} isBusy={action.isPending} onClose={onClose}>
      {action.isSuccess ? (
        <Result onClose={onClose}>{action.data ?? t('action.done', { action: title })}</Result>
      ) : (
        <ReasonForm {...props} action={action} />
      )}
    </Dialog>
  );
}

function Result({ children, onClose }: Pick<ReasonDialogProps, 'children' | 'onClose'>) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <>
      <div id={id} role="status" className={classes.result}>
        {children}
      </div>
      <DialogFoot>
        {/* The field or button that had the focus is gone. */}
        <Button variant="default" size="sm" onClick={onClose} autoFocus aria-describedby={id}>
          {t('dialog.close')}
        </Button>
      </DialogFoot>
    </>
  );
}

interface ReasonFormProps extends Omit<ReasonDialogProps, 'about' | 'perform'> {
  action: UseMutationResult<ReactNode, Error, string>;
}

function ReasonForm({ action, command, onClose, ...props }: ReasonFormProps) {
  const { title, what, children, isComplete = true } = props;
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const mayStart = isComplete && actionReasonSchema.safeParse(reason).success;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (mayStart && !action.isPending) action.mutate(reason.trim());
  }

  return (
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
      {command ? <CommandLine words={command} reason={reason} /> : null}
      {action.error ? (
        <Alert role="alert" title={t('action.failed')} classNames={{ message: 'alert-text' }}>
          {describeFailure(t, action.error)}
        </Alert>
      ) : null}
      {action.isPending ? <p className="dimmed">{t('action.goesOn')}</p> : null}
      <DialogFoot>
        <Button variant="default" size="sm" onClick={onClose}>
          {t(action.isPending ? 'dialog.close' : 'dialog.cancel')}
        </Button>
        <SubmitButton action={action} title={title} mayStart={mayStart} />
      </DialogFoot>
    </form>
  );
}

interface SubmitButtonProps extends Pick<ReasonFormProps, 'action' | 'title'> {
  mayStart: boolean;
}

function SubmitButton({ action, title, mayStart }: SubmitButtonProps) {
  const button = useRef<HTMLButtonElement>(null);

  // While it is disabled, a pressed button loses the focus.
  useEffect(() => {
    if (action.isError && document.activeElement === document.body) button.current?.focus();
  }, [action.isError]);

  return (
    <Button ref={button} type="submit" size="sm" loading={action.isPending} disabled={!mayStart}>
      {title}
    </Button>
  );
}
