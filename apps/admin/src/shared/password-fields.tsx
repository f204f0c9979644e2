import { minPasswordLength, newPasswordSchema } from '@dowel/admin-api';
import { PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface NewPassword {
  password: string;
  again: string;
}

/** What the form of a new password needs. */
export function useNewPassword() {
  const [entered, setEntered] = useState<NewPassword>({ password: '', again: '' });
  const [isTried, setTried] = useState(false);
  const isLong = newPasswordSchema.safeParse(entered.password).success;
  const isSame = entered.password === entered.again;

  /** Returns the password. Undefined: it cannot be used, and the fields show why. */
  function take(): string | undefined {
    setTried(true);
    return isLong && isSame ? entered.password : undefined;
  }

  return {
    take,
    fields: {
      entered,
      onChange: setEntered,
      isShort: isTried && !isLong,
      isDifferent: isTried && isLong && !isSame,
    },
  };
}

export type NewPasswordFieldsProps = ReturnType<typeof useNewPassword>['fields'] & {
  size?: 'sm' | 'md';
};

/** A new password, twice: nobody can read it later. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { entered, onChange, isShort, isDifferent, size = 'sm' } = props;
  const { t } = useTranslation();
  const length = { least: minPasswordLength };
  return (
    <>
      <PasswordInput
        {...fieldOf(size)}
        label={t('password.next')}
        description={t('password.rule', length)}
        error={isShort ? t('password.short', length) : undefined}
        name="new-password"
        value={entered.password}
        onChange={({ currentTarget: { value } }) => onChange({ ...entered, password: value })}
        visibilityToggleButtonProps={{ 'aria-label': t('signIn.show') }}
      />
      <PasswordInput
        {...fieldOf(size)}
        label={t('password.again')}
        error={isDifferent ? t('password.different') : undefined}
        name="new-password-again"
        value={entered.again}
        onChange={({ currentTarget: { value } }) => onChange({ ...entered, again: value })}
        visibilityToggleButtonProps={{ 'aria-label': t('signIn.show') }}
      />
    </>
  );
}

function fieldOf(size: 'sm' | 'md') {
  return {
    autoComplete: 'new-password',
    maxLength: 1024,
    required: true,
    withAsterisk: false,
    size,
  };
}
