import { Button, NativeSelect, TextInput } from '@mantine/core';
import UserPlus from 'lucide-react/icons/user-plus';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../use-locale.ts';
import { AddDialog } from './add-dialog.tsx';
import { languageOptions } from './languages.ts';
import { useAddPerson } from './people-mutations.ts';

/** A button that opens the form of a new person of a tenant. */
export function AddPerson({ tenant }: { tenant: { tenantId: string; name: string } }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const add = useAddPerson(tenant.tenantId);
  return (
    <>
      <Button
        variant="subtle"
        size="sm"
        leftSection={<UserPlus size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('people.addPerson')}
      </Button>
      <AddDialog
        title={t('people.addPersonTo', { tenant: tenant.name })}
        opened={isOpen}
        isBusy={add.isPending}
        onClose={() => setOpen(false)}
        onSubmit={(person) => add.mutate(person, { onSuccess: () => setOpen(false) })}
      >
        <PersonFields />
      </AddDialog>
    </>
  );
}

function PersonFields() {
  const { t, i18n } = useTranslation();
  return (
    <>
      <TextInput label={t('people.name')} name="name" maxLength={100} required data-autofocus />
      <TextInput label={t('people.jobTitle')} name="jobTitle" maxLength={100} />
      <NativeSelect
        label={t('people.language')}
        description={t('people.languageHint')}
        name="language"
        data={languageOptions(useLocale())}
        defaultValue={i18n.language}
      />
    </>
  );
}
