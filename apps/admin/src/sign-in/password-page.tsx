import type { PasswordLinkState } from '@dowel/admin-api';
import { Alert, Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { type SubmitEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { hasStatus } from '../api/api-failure.ts';
import { sessionKey } from '../api/queries.ts';
import { useFormats } from '../i18n/formats.ts';
import { describeFailure } from '../shared/describe-failure.ts';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { NewPasswordFields, useNewPassword } from '../shared/password-fields.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { takeFragmentCode } from './fragment-code.ts';
import classes from './sign-in-page.module.css';

/** Where a person sets the password of an account, by the link of an owner. */
export function PasswordPage() {
  const { t } = useTranslation();
  usePageTitle(t('password.page'));
  const code = useLinkCode();
  return (
    <main className={classes.page}>
      <div className={`card ${classes.panel}`}>
        <DowelMark size={44} />
        <h1 className={classes.title}>{t('password.title')}</h1>
        <p className={classes.host}>{window.location.host}</p>
        {code === undefined ? null : <LinkContent key={code} code={code} />}
      </div>
    </main>
  );
}

/** The code of the link that was opened last; empty if the address has none. Undefined: not read yet. */
function useLinkCode(): string | undefined {
  const [code, setCode] = useState<string>();
  useEffect(() => {
    const read = () => setCode((before) => takeFragmentCode(window) ?? before ?? '');
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return code;
}

function LinkContent({ code }: { code: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const link = useQuery({
    queryKey: ['password link', code],
    queryFn: (): Promise<PasswordLinkState> | PasswordLinkState =>
      code === '' ? { state: 'unknown' } : api.checkPasswordLink(code),
    gcTime: 0,
  });
  if (link.error) {
    return (
      <QueryFailure
        title={t('password.notChecked')}
        error={link.error}
        onRetry={() => void link.refetch()}
      />
    );
  }
  if (!link.data) return <Skeleton height={200} radius={10} />;
  if (link.data.state !== 'open') return <DeadLink state={link.data.state} />;
  const recheck = () => void link.refetch();
  return <LinkForm code={code} link={link.data} onRefused={recheck} />;
}

type OpenLink = Extract<PasswordLinkState, { state: 'open' }>;

function DeadLink({ state }: { state: Exclude<PasswordLinkState['state'], 'open'> }) {
  const { t } = useTranslation();
  return (
    <Alert
      role="alert"
      title={t(`password.dead.${state}`)}
      icon={<CircleAlert size={20} aria-hidden="true" />}
      classNames={{ message: 'alert-text' }}
    >
      <Stack gap="sm" align="flex-start">
        {t(`password.instead.${state}`)}
        <Link to="/sign-in">{t('password.toSignIn')}</Link>
      </Stack>
    </Alert>
  );
}

interface LinkFormProps {
  code: string;
  link: OpenLink;
  onRefused: () => void;
}

function LinkForm({ code, link: { name, expiresAt }, onRefused }: LinkFormProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const redeem = useRedeem(onRefused);
  const { take, fields } = useNewPassword();

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const password = take();
    if (password !== undefined && !redeem.isPending) redeem.mutate({ code, password });
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <p className={classes.hint}>{t('password.lead', { until: formats.moment(expiresAt) })}</p>
        <TextInput
          label={t('password.account')}
          name="username"
          value={name}
          readOnly
          autoComplete="username"
          size="md"
        />
        <NewPasswordFields {...fields} size="md" />
        {redeem.error && !hasStatus(redeem.error, 401) ? (
          <Alert role="alert" title={t('password.notSet')} classNames={{ message: 'alert-text' }}>
            {describeFailure(t, redeem.error)}
          </Alert>
        ) : null}
        <Button type="submit" fullWidth size="md" loading={redeem.isPending || redeem.isSuccess}>
          {t('password.set')}
        </Button>
      </Stack>
    </form>
  );
}

/** Sets the password, then opens the dashboard. @param onRefused called when the link sets nothing any more. */
function useRedeem(onRefused: () => void) {
  const api = useApi();
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: api.redeemPasswordLink,
    meta: { answersWrongCode: true },
    onError: (error) => {
      if (hasStatus(error, 401)) onRefused();
    },
    onSuccess: async (session) => {
      // Somebody else may have been signed in here.
      queryClient.clear();
      queryClient.setQueryData(sessionKey, session);
      await router.navigate({ to: '/', replace: true });
    },
  });
}
