import { Button, Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { signInMethodsQuery } from '../api/queries.ts';
import { apiPath } from '../api/request.ts';

/** A link to the identity provider, if one is configured. */
export function ProviderButton({ returnTo = '/' }: { returnTo: string | undefined }) {
  const { t } = useTranslation();
  const { data } = useQuery(signInMethodsQuery(useApi()));
  if (!data?.methods.includes('oidc')) return null;
  return (
    <>
      <Button
        component="a"
        href={`${apiPath}/session/oidc?${new URLSearchParams({ returnTo })}`}
        fullWidth
        size="md"
        leftSection={<KeyRound size={18} aria-hidden="true" />}
      >
        {t('signIn.provider')}
      </Button>
      <Divider label={t('signIn.or')} my="lg" />
    </>
  );
}
