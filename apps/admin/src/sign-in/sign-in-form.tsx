import { Alert, Button, TextInput } from '@mantine/core';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { type SubmitEvent, useState } from 'react';
import { ApiFailure } from '../api/api-failure.ts';

export interface SignInFormProps {
  isBusy: boolean;
  error: Error | null;
  onCode: (code: string) => void;
}

export function SignInForm({ isBusy, error, onCode }: SignInFormProps) {
  const [code, setCode] = useState('');

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (code.trim() !== '') onCode(code.trim());
  }

  return (
    <form onSubmit={submit}>
      {error && !isBusy ? (
        <Alert
          role="alert"
          classNames={{ message: 'alert-text' }}
          title="Not signed in"
          icon={<CircleAlert size={20} aria-hidden="true" />}
          mb="md"
        >
          {describe(error)}
        </Alert>
      ) : null}
      <TextInput
        label="One-time code"
        name="code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        autoComplete="one-time-code"
        spellCheck={false}
        maxLength={256}
        required
        withAsterisk={false}
        size="md"
        data-autofocus
      />
      <Button type="submit" fullWidth size="md" mt="md" loading={isBusy}>
        Sign in
      </Button>
    </form>
  );
}

function describe(error: Error): string {
  const status = error instanceof ApiFailure ? error.status : undefined;
  if (status === 401 || status === 400) {
    return 'This code is wrong, was used before, or is ten minutes old. “dowel sign-in” prints a new link.';
  }
  return error.message;
}
