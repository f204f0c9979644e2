/** Requests of commands to the dashboard's API of the back end that runs. */
import { signInCodeLifetimeMs } from '@dowel/installation-store';
import { findAdminUrl } from './admin-url.ts';
import { type CommandContext, MisuseError } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

/** The back end did not answer, or refused. The message is for people. */
export class BackEndError extends Error {
  override readonly name = 'BackEndError';
}

export interface BackEndCall<Answer> {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Below `/admin/api`. */
  path: string;
  /** Sent as JSON. */
  body?: object;
  /** The schema of the answer. Default: it has no body. */
  answer?: { parse(value: unknown): Answer };
}

/**
 * Sends one request as the user of this machine, who is an owner: it brings a one-time code that it has written to the
 * database (docs/decisions/0042-sign-in.md).
 *
 * @throws BackEndError; MisuseError if the back end does not accept the request; what `openExistingStore` throws
 */
export async function callBackEnd<Answer = void>(
  { settings, environment }: Pick<CommandContext, 'settings' | 'environment'>,
  { method = 'GET', path, body, answer }: BackEndCall<Answer>,
): Promise<Answer> {
  const { adminUrl, code } = await whileOpen(settings, async (store) => ({
    adminUrl: await findAdminUrl(store, environment),
    code: await store.accounts.createSignInCode({
      name: currentUser().who,
      expiresAt: Date.now() + signInCodeLifetimeMs,
    }),
  }));
  const response = await fetch(`${adminUrl}/admin/api${path}`, {
    method,
    // The code is for this address only.
    redirect: 'error',
    headers: {
      authorization: `Bearer ${code}`,
      'x-dowel-csrf': '1',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new BackEndError(
      `The back end does not answer at ${adminUrl} (${describeFailure(error)}). This command needs it running. If it has another address here, set DOWEL_PUBLIC_URL.`,
    );
  });
  const value: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    const message = describeRefusal(adminUrl, response.status, value);
    // Only the back end knows some values, such as that of `--after`.
    throw isMisuse(value) ? new MisuseError(message) : new BackEndError(message);
  }
  return answer ? answer.parse(value) : (undefined as Answer);
}

/** The query of a path; what is undefined is left out. */
export function queryOf(values: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.toString();
}

function isMisuse(value: unknown): boolean {
  return (value as { code?: unknown } | undefined)?.code === 'BAD_REQUEST';
}

function describeFailure({ message, cause }: Error): string {
  const { code, message: detail } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? detail ?? message;
}

function describeRefusal(adminUrl: string, status: number, value: unknown): string {
  if (status === 401) {
    return `The back end at ${adminUrl} does not know this database: it uses another one. Set the back end's DOWEL_DATA_DIR or DOWEL_DATABASE_URL, or DOWEL_PUBLIC_URL.`;
  }
  const { message } = (value ?? {}) as { message?: unknown };
  if (typeof message === 'string') return message;
  return `What answers at ${adminUrl} is not the back end: it answered ${status}. Set DOWEL_PUBLIC_URL.`;
}
