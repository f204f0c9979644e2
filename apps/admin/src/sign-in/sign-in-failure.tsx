import { Alert } from '@mantine/core';
import type { TFunction } from 'i18next';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { useTranslation } from 'react-i18next';
import { hasStatus } from '../api/api-failure.ts';
import { describeFailure } from '../shared/describe-failure.ts';

export interface SignInFailureProps {
  error: Error;
  /** The operator gave a code, not a password. */
  isOfCode: boolean;
}

export function SignInFailure({ error, isOfCode }: SignInFailureProps) {
  const { t } = useTranslation();
  return (
    <Alert
      role="alert"
      classNames={{ message: 'alert-text' }}
      title={t('signIn.failed')}
      icon={<CircleAlert size={20} aria-hidden="true" />}
      mb="md"
    >
      {describe(t, error, isOfCode)}
    </Alert>
  );
}

function describe(t: TFunction, error: Error, isOfCode: boolean): string {
  if (hasStatus(error, 429)) return t('signIn.tooMany');
  if (!hasStatus(error, 401) && !hasStatus(error, 400)) return describeFailure(t, error);
  return t(isOfCode ? 'signIn.wrongCode' : 'signIn.wrongPassword');
}
