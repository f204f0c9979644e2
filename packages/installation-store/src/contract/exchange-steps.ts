/** An exchange and its trigger, as the checks begin, end and read them. */
import { Secret } from '@dowel/schema';
import type { ExchangeEnding, InstallationLife, TokenStore } from '@dowel/token-client';
import { access, canary } from './check.ts';

export const intent = {
  iat: 10,
  codeDigest: 'digest-of-the-code',
  baseUrl: 'https://new.example.com',
  trigger: { url: '/api/new-trigger', body: new Secret(`${canary}-new-trigger-body`) },
};

/** How often the code was presented. */
export async function beginExchange(
  store: TokenStore,
  installation: InstallationLife,
  codeDigest = intent.codeDigest,
  attempt?: string,
): Promise<number | undefined> {
  const attempted = attempt === undefined ? {} : { attempt };
  const begun = await store.transaction(({ renewals }) =>
    renewals.beginExchange(installation, { ...intent, codeDigest, ...attempted }, 20_000),
  );
  return begun?.presented;
}

export function endExchange(
  store: TokenStore,
  { id }: InstallationLife,
  ending: ExchangeEnding,
  codeDigest = intent.codeDigest,
) {
  return store.transaction(({ renewals }) => renewals.endExchange(id, codeDigest, ending));
}

export async function triggerOf(store: TokenStore, { id }: InstallationLife) {
  const found = await store.renewals.loadTrigger(id);
  return (
    found && {
      ...found,
      trigger: found.trigger && { ...found.trigger, body: found.trigger.body?.reveal() },
    }
  );
}

/** It is not due again for five seconds. */
export async function isDue(store: TokenStore, { id }: InstallationLife): Promise<boolean> {
  const due = await store.renewals.claimDue(10_000);
  return due.some(({ installationId }) => installationId === id);
}

export const ofGrant = {
  issuer: 'https://acme.example.com',
  baseUrl: access.baseUrl,
  trigger: { url: '/api/trigger', body: `${canary}-trigger-body` },
};
export const ofIntent = {
  issuer: 'https://acme.example.com',
  baseUrl: 'https://new.example.com',
  trigger: { url: '/api/new-trigger', body: `${canary}-new-trigger-body` },
};
