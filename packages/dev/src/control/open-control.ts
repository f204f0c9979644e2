/** The control API of a running platform for one command: a sign-in, requests, and the sign-out. */
import { type Platform, tenantsSchema } from '@dowel/emulator';
import { DevError } from '../dev-error.ts';

export interface Control extends AsyncDisposable {
  /**
   * Resolves with the answer as `shape` reads it.
   *
   * @param path below `/control`
   * @throws DevError when the platform refuses, or does not answer
   */
  request: <Answer>(method: string, path: string, content?: Content<Answer>) => Promise<Answer>;
}

interface Content<Answer> {
  body?: object;
  shape?: { parse(value: unknown): Answer };
}

/**
 * Signs in as the first user of the tenant. The control API wants no password, because the emulator is for one machine.
 *
 * @param options.tenantId Default: the first one.
 * @throws DevError when there is no such tenant, and as `request`
 */
export async function openControl({
  platformUrl,
  tenantId,
}: {
  platformUrl: string;
  tenantId?: string | undefined;
}): Promise<Control> {
  const open = { platformUrl, cookie: '' };
  const { answer } = await call(open, 'GET', '/tenants', { shape: tenantsSchema });
  const { tenants } = answer;
  const tenant = tenants.find((each) => each.tenantId === (tenantId ?? each.tenantId));
  if (!tenant) throw new DevError(describeTenants(tenants));
  const body = { userId: tenant.users[0]?.userId };
  const { headers } = await call(open, 'POST', '/session', { body });
  const [cookie = ''] = headers.get('set-cookie')?.split(';', 1) ?? [];
  const signedIn = { platformUrl, cookie };
  return {
    request: async (...given) => (await call(signedIn, ...given)).answer,
    async [Symbol.asyncDispose]() {
      // The answer to the command is printed already.
      await call(signedIn, 'DELETE', '/session').catch(() => {});
    },
  };
}

const shownTenants = 10;

function describeTenants(tenants: Platform['tenants']): string {
  const shown = tenants
    .slice(0, shownTenants)
    .map(({ tenantId, name }) => `\n  --tenant ${tenantId}  ${name}`);
  const left = tenants.length - shown.length;
  const more = left > 0 ? `\n  and ${left} more` : '';
  return `The platform has no such tenant. Choose one:${shown.join('')}${more}`;
}

async function call<Answer>(
  { platformUrl, cookie }: { platformUrl: string; cookie: string },
  method: string,
  path: string,
  { body, shape }: Content<Answer> = {},
): Promise<{ headers: Headers; answer: Answer }> {
  const { response, text } = await fetchText(platformUrl, path, {
    method,
    headers: { 'content-type': 'application/json', cookie },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { ok, status, headers } = response;
  try {
    const value: unknown = text === '' ? undefined : JSON.parse(text);
    const { code, message } = Object(value) as { code?: string; message?: string };
    // A back end of Dowel has such an answer, too.
    const isPlatform = typeof message === 'string' && code !== 'NOT_FOUND';
    if (!ok && isPlatform) throw new DevError(`${message}.`);
    if (!ok) throw new Error('not the platform');
    return { headers, answer: shape ? shape.parse(value) : (undefined as Answer) };
  } catch (error) {
    if (error instanceof DevError) throw error;
    throw new DevError(
      `What answers at ${platformUrl} is not the platform of this version: it answered ${status}.`,
      { cause: error },
    );
  }
}

async function fetchText(
  platformUrl: string,
  path: string,
  init: RequestInit,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(`${platformUrl}/control${path}`, { ...init, redirect: 'manual' });
    return { response, text: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new DevError(
      `Nothing answers at ${platformUrl} (${cause?.code ?? message}). Start the platform: npx dowel dev, or npx dowel emulator.`,
      { cause: error },
    );
  }
}
