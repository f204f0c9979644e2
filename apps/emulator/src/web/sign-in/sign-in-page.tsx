import type { Tenant } from '@dowel/emulator/control-api';
import { Alert, Group, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Info from 'lucide-react/icons/info';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { tenantsQuery } from '../control-queries.ts';
import { EmulatorMark } from '../emulator-mark.tsx';
import { ErrorAlert } from '../error-alert.tsx';
import { AddPerson } from '../people/add-person.tsx';
import { AddTenant } from '../people/add-tenant.tsx';
import { PersonCard } from './person-card.tsx';
import { useSignIn } from './sign-in.ts';

/** Lists all people of all tenants; signing in needs no password. */
export function SignInPage() {
  const { t } = useTranslation();
  const tenants = useQuery(tenantsQuery);
  useEffect(() => {
    document.title = `${t('page.signIn')} · ${t('product')}`;
  }, [t]);

  return (
    <main className="sign-in">
      <header className="sign-in-hero">
        <EmulatorMark size={44} />
        <Title order={1}>{t('product')}</Title>
        <Text size="lg">{t('lead')}</Text>
      </header>
      <Stack className="sign-in-body" gap="lg">
        <Alert color="teal" icon={<Info size={20} aria-hidden />} title={t('signIn.title')}>
          {t('signIn.lead')}
        </Alert>
        {tenants.isPending && <Loader aria-label={t('signIn.loading')} />}
        {tenants.isError && (
          <ErrorAlert
            title={t('signIn.peopleFailed')}
            error={tenants.error}
            onRetry={() => void tenants.refetch()}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          {tenants.data?.tenants.map((tenant) => (
            <TenantSection key={tenant.tenantId} tenant={tenant} />
          ))}
        </SimpleGrid>
        {tenants.data && (
          <Group justify="center">
            <AddTenant />
          </Group>
        )}
      </Stack>
    </main>
  );
}

function TenantSection({ tenant }: { tenant: Tenant }) {
  const { t } = useTranslation();
  const headingId = useId();
  const signIn = useSignIn();

  return (
    <section className="panel" aria-labelledby={headingId}>
      <div className="panel-head">
        <Title order={2} size="h3" id={headingId}>
          {tenant.name}
        </Title>
        <Text size="sm" c="dimmed" ff="monospace">
          {tenant.baseUrl}
        </Text>
      </div>
      <Stack gap="sm">
        {tenant.users.map((user) => (
          <PersonCard
            key={user.userId}
            user={user}
            isBusy={signIn.isPending && signIn.variables === user.userId}
            onPick={() => signIn.mutate(user.userId)}
          />
        ))}
        {tenant.users.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('signIn.nobody')}
          </Text>
        )}
        <AddPerson tenant={tenant} />
      </Stack>
    </section>
  );
}
