import { Divider } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { CodeForm } from './code-form.tsx';
import { takeFragmentCode } from './fragment-code.ts';
import { PasswordForm } from './password-form.tsx';
import { ProviderButton } from './provider-button.tsx';
import type { SignInSearch } from './return-address.ts';
import { SignInFailure } from './sign-in-failure.tsx';
import classes from './sign-in-page.module.css';
import { useSignIn } from './use-sign-in.ts';

/** Signs in at the identity provider, with name and password, with the code of the link, or with a typed code. */
export function SignInPage({ returnTo, refused, ended }: SignInSearch) {
  const { t } = useTranslation();
  usePageTitle(t('signIn.page'));
  const { mutate, isPending, isSuccess, error, variables } = useSignIn(returnTo);
  const isBusy = isPending || isSuccess;
  const isOfCode = variables !== undefined && 'code' in variables;

  useEffect(() => {
    function redeemLink(): void {
      const code = takeFragmentCode(window);
      if (code !== undefined) mutate({ code });
    }
    redeemLink();
    window.addEventListener('hashchange', redeemLink);
    return () => window.removeEventListener('hashchange', redeemLink);
  }, [mutate]);

  return (
    <main className={classes.page}>
      <div className={`card ${classes.panel}`}>
        <DowelMark size={44} />
        <h1 className={classes.title}>{t('signIn.title')}</h1>
        <p className={classes.host}>{window.location.host}</p>
        {ended ? <p role="status">{t(`signIn.ended.${ended}`)}</p> : null}
        {isBusy ? null : <SignInFailure {...{ error, refused, isOfCode }} />}
        <ProviderButton returnTo={returnTo} />
        <PasswordForm isBusy={isBusy && !isOfCode} onSubmit={mutate} />
        <Divider label={t('signIn.or')} my="lg" />
        <CodeForm isBusy={isBusy && isOfCode} onSubmit={mutate} />
      </div>
    </main>
  );
}
