import { useEffect } from 'react';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { takeSignInCode } from './sign-in-code.ts';
import { SignInForm } from './sign-in-form.tsx';
import classes from './sign-in-page.module.css';
import { useSignIn } from './use-sign-in.ts';

/** Signs in with the code of the link, or with one that is typed. */
export function SignInPage({ returnTo }: { returnTo: string | undefined }) {
  usePageTitle('Sign in');
  const { mutate, isPending, isSuccess, error } = useSignIn(returnTo);

  useEffect(() => {
    function redeemLink(): void {
      const code = takeSignInCode(window);
      if (code !== undefined) mutate(code);
    }
    redeemLink();
    window.addEventListener('hashchange', redeemLink);
    return () => window.removeEventListener('hashchange', redeemLink);
  }, [mutate]);

  return (
    <main className={classes.page}>
      <div className={`card ${classes.panel}`}>
        <DowelMark size={44} />
        <h1 className={classes.title}>Sign in to Dowel</h1>
        <p className={classes.lead}>
          Open the link that “dowel sign-in” prints where Dowel runs, or enter its code here. It
          works once, within ten minutes.
        </p>
        <SignInForm isBusy={isPending || isSuccess} error={error} onCode={mutate} />
        <p className={classes.hint}>The code works once. Nobody but you should see it.</p>
      </div>
    </main>
  );
}
