import { Button, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CredentialsFormProps } from './password-form.tsx';
import classes from './sign-in-page.module.css';

/** A one-time code of `dowel sign-in`. */
export function CodeForm({ isBusy, onSubmit }: CredentialsFormProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (code.trim() !== '') onSubmit({ code: code.trim() });
  }

  return (
    <form onSubmit={submit}>
      <TextInput
        label={t('signIn.code')}
        name="code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        autoComplete="one-time-code"
        spellCheck={false}
        maxLength={256}
        required
        withAsterisk={false}
        size="md"
      />
      <p className={classes.hint}>{t('signIn.codeLead')}</p>
      <Button type="submit" variant="default" fullWidth size="md" mt="md" loading={isBusy}>
        {t('signIn.useCode')}
      </Button>
    </form>
  );
}
