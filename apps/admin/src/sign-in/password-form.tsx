import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Credentials } from './use-sign-in.ts';

export interface CredentialsFormProps {
  isBusy: boolean;
  onSubmit: (credentials: Credentials) => void;
}

export function PasswordForm({ isBusy, onSubmit }: CredentialsFormProps) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    onSubmit({ name, password });
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t('signIn.name')}
          name="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          required
          withAsterisk={false}
          size="md"
          data-autofocus
        />
        <PasswordInput
          label={t('signIn.password')}
          name="password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t('signIn.show') }}
          maxLength={1024}
          required
          withAsterisk={false}
          size="md"
        />
        <Button type="submit" fullWidth size="md" loading={isBusy}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}
