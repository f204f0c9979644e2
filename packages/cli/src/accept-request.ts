/** Converts a command's arguments and options to requests of the dashboard's API. */
import type { describeIssue } from '@dowel/schema';
import { MisuseError } from './command.ts';

type Issue = Parameters<typeof describeIssue>[0];

type Parsed<Request> =
  | { success: true; data: Request }
  | { success: false; error: { issues: Issue[] } };

/** Fields whose option has another name than `--<field>`. */
const words: Readonly<Record<string, string>> = {
  action: 'ACTION',
  rule: 'RULE',
  subject: '--key',
  hookId: '--hook',
  userId: '--user',
  tenantId: '--tenant',
  pluginId: '--plugin',
  installationId: '--installation',
};

/** @throws MisuseError that names the wrong argument or option */
export function acceptRequest<Request>(parsed: Parsed<Request>): Request {
  if (parsed.success) return parsed.data;
  throw new MisuseError(parsed.error.issues.map(describeOption).join('\n'));
}

function describeOption({ path, message }: Issue): string {
  const field = path.at(-1);
  if (field === undefined) return message;
  return `${words[String(field)] ?? `--${String(field)}`}: ${message}`;
}
