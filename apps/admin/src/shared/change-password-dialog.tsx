import { Alert, Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { sessionQuery } from '../api/queries.ts';
import { describeFailure } from './describe-failure.ts';
import classes from './dialog.module.css';
import { Dialog, DialogFoot } from './dialog.tsx';
import { NewPasswordFields, useNewPassword } from './password-fields.tsx';

/** Changes the password of the reader's account. */
export function ChangePasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const queryClient = useQueryClient();
  const name = useQuery(sessionQuery(api)).data?.name ?? '';
  const [password, setPassword] = useState('');
  const { take, fields } = useNewPassword();
  const change = useMutation({
    mutationFn: (newPassword: string) => api.changePassword({ password, newPassword }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const newPassword = take();
    if (newPassword !== undefined && !change.isPending) change.mutate(newPassword);
  }

  return (
    <Dialog title={t('password.change')} about={name} isBusy={change.isPending} onClose={onClose}>
      {change.isSuccess ? (
        <Changed onClose={onClose} />
      ) : (
        <form onSubmit={submit}>
          <p>{t('password.whatChange')}</p>
          {/* So that a password manager knows the account. */}
          <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
          <PasswordInput
            label={t('password.present')}
            name="password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('signIn.show') }}
            maxLength={1024}
            required
            withAsterisk={false}
            data-autofocus
          />
          <NewPasswordFields {...fields} />
          {change.error ? <NotChanged error={change.error} /> : null}
          <DialogFoot>
            <Button variant="default" size="sm" onClick={onClose}>
              {t('dialog.cancel')}
            </Button>
            <Button type="submit" size="sm" loading={change.isPending}>
              {t('password.change')}
            </Button>
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}

function NotChanged({ error }: { error: Error }) {
  const { t } = useTranslation();
  return (
    <Alert role="alert" title={t('password.notChanged')} classNames={{ message: 'alert-text' }}>
      {describeFailure(t, error)}
    </Alert>
  );
}

function Changed({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <div role="status" className={classes.result}>
        {t('password.changed')}
      </div>
      <DialogFoot>
        {/* The button that had the focus is gone. */}
        <Button variant="default" size="sm" onClick={onClose} autoFocus>
          {t('dialog.close')}
        </Button>
      </DialogFoot>
    </>
  );
}
