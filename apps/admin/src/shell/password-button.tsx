import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { sessionQuery } from '../api/queries.ts';
import { ChangePasswordDialog } from '../shared/change-password-dialog.tsx';
import classes from './foot-button.module.css';

/** For those who signed in with a password. */
export function PasswordButton() {
  const { t } = useTranslation();
  const session = useQuery(sessionQuery(useApi())).data;
  const [isOpen, setOpen] = useState(false);
  if (session?.method !== 'password') return null;
  return (
    <>
      <button type="button" className={classes.button} onClick={() => setOpen(true)}>
        <KeyRound size={18} aria-hidden="true" />
        {t('password.change')}
      </button>
      {isOpen ? <ChangePasswordDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}
