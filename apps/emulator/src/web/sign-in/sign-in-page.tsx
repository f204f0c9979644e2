import type { Tenant } from '@dowel/emulator/control-api';
import { Alert, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Info from 'lucide-react/icons/info';
import { useEffect, useId } from 'react';
import { tenantsQuery } from '../control-queries.ts';
import { EmulatorMark } from '../emulator-mark.tsx';
import { ErrorAlert } from '../error-alert.tsx';
import { PersonCard } from './person-card.tsx';
import { useSignIn } from './sign-in.ts';

/** Lists all people of all tenants; signing in needs no password. */
export function SignInPage() {
  const tenants = useQuery(tenantsQuery);
  useEffect(() => {
    document.title = 'Sign in · Dowel platform emulator';
  }, []);

  return (
    <main className="sign-in">
      <header className="sign-in-hero">
        <EmulatorMark size={44} />
        <Title order={1}>Dowel platform emulator</Title>
        <Text size="lg">A social intranet on your laptop, for building plug-ins.</Text>
      </header>
      <Stack className="sign-in-body" gap="lg">
        <Alert color="teal" icon={<Info size={20} aria-hidden />} title="Choose who you are">
          This is an emulator, so there are no passwords: pick a person and you are signed in.
          Nobody here is real, and nothing leaves this machine.
        </Alert>
        {tenants.isPending && <Loader aria-label="Loading people" />}
        {tenants.isError && (
          <ErrorAlert
            title="The people could not be loaded"
            error={tenants.error}
            onRetry={() => void tenants.refetch()}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          {tenants.data?.tenants.map((tenant) => (
            <TenantSection key={tenant.tenantId} tenant={tenant} />
          ))}
        </SimpleGrid>
      </Stack>
    </main>
  );
}

function TenantSection({ tenant }: { tenant: Tenant }) {
  const headingId = useId();
  const signIn = useSignIn();

  return (
    <section className="panel" aria-labelledby={headingId}>
      <div className="panel-head">
        <Title order={2} size="h3" id={headingId}>
          {tenant.name}
        </Title>
        <Text size="sm" c="dimmed" ff="monospace" className="breakable">
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
      </Stack>
    </section>
  );
}
