/** Requests of the dashboard's API, made of a command's arguments and options. */
import type { describeIssue } from '@dowel/schema';

type Issue = Parameters<typeof describeIssue>[0];

type Parsed<Request> =
  | { success: true; data: Request }
  | { success: false; error: { issues: Issue[] } };

/** Where the command line has another word for a field than `--<field>`. */
const words: Readonly<Record<string, string>> = {
  rule: 'RULE',
  subject: '--key',
  hookId: '--hook',
};

/** @throws SyntaxError that names the wrong argument or option */
export function acceptRequest<Request>(parsed: Parsed<Request>): Request {
  if (parsed.success) return parsed.data;
  throw new SyntaxError(parsed.error.issues.map(describeOption).join('\n'));
}

function describeOption({ path: [field], message }: Issue): string {
  if (field === undefined) return message;
  return `${words[String(field)] ?? `--${String(field)}`}: ${message}`;
}
