import { Button, TextInput } from '@mantine/core';
import Building2 from 'lucide-react/icons/building-2';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AddDialog } from './add-dialog.tsx';
import { useAddTenant } from './people-mutations.ts';

/** A button that opens the form of a new tenant. */
export function AddTenant() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const add = useAddTenant();
  return (
    <>
      <Button
        variant="default"
        leftSection={<Building2 size={18} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('people.addTenant')}
      </Button>
      <AddDialog
        title={t('people.addTenant')}
        opened={isOpen}
        isBusy={add.isPending}
        onClose={() => setOpen(false)}
        onSubmit={(tenant) => add.mutate(tenant, { onSuccess: () => setOpen(false) })}
      >
        <TextInput label={t('people.name')} name="name" maxLength={100} required data-autofocus />
      </AddDialog>
    </>
  );
}
