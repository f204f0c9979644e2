import type { OidcRefusal } from '@dowel/admin-api';
import { Alert } from '@mantine/core';
import type { TFunction } from 'i18next';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { useTranslation } from 'react-i18next';
import { hasStatus } from '../api/api-failure.ts';
import { describeFailure } from '../shared/describe-failure.ts';

export interface SignInFailureProps {
  error: Error | null;
  /** Why the sign-in at the identity provider failed. */
  refused: OidcRefusal | undefined;
  /** True: the operator used a code, not a password. */
  isOfCode: boolean;
}

export function SignInFailure({ error, refused, isOfCode }: SignInFailureProps) {
  const { t } = useTranslation();
  if (!error && !refused) return null;
  return (
    <Alert
      role="alert"
      classNames={{ message: 'alert-text' }}
      title={t('signIn.failed')}
      icon={<CircleAlert size={20} aria-hidden="true" />}
      mb="md"
    >
      {error ? describe(t, error, isOfCode) : t(`signIn.refused.${refused ?? 'expired'}`)}
    </Alert>
  );
}

function describe(t: TFunction, error: Error, isOfCode: boolean): string {
  if (hasStatus(error, 429)) return t('signIn.tooMany');
  if (!hasStatus(error, 401) && !hasStatus(error, 400)) return describeFailure(t, error);
  return t(isOfCode ? 'signIn.wrongCode' : 'signIn.wrongPassword');
}
