/** Adding tenants and people; each loads the lists of them again at its end. */
import type { AddUser } from '@dowel/emulator/control-api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { addPerson, addTenant } from '../control-client.ts';
import { loadAgain, sessionQuery, tenantsQuery } from '../control-queries.ts';
import { showDone } from '../toasts.ts';

export function useAddTenant() {
  const { t } = useTranslation();
  const loadPeople = useLoadPeople();
  return useMutation({
    mutationFn: addTenant,
    meta: { failed: t('people.tenantFailed') },
    onSuccess: ({ name }) => showDone(t, t('people.tenantAdded', { name })),
    onSettled: loadPeople,
  });
}

export function useAddPerson(tenantId: string) {
  const { t } = useTranslation();
  const loadPeople = useLoadPeople();
  return useMutation({
    mutationFn: (person: AddUser) => addPerson(tenantId, person),
    meta: { failed: t('people.personFailed') },
    onSuccess: ({ name }) => showDone(t, t('people.personAdded', { name })),
    onSettled: loadPeople,
  });
}

function useLoadPeople() {
  const client = useQueryClient();
  return () => loadAgain(client, tenantsQuery, sessionQuery);
}
