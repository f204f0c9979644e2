/** The commands that act on one installation: `dowel refresh <id> --reason …`, and `dowel audit`. */
import { hostname, userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import {
  type ActionName,
  actionNameSchema,
  actionRequestSchemas,
  describeIssue,
  plainWords,
} from '@dowel/schema';
import type { OperatorActions } from '@dowel/server';
import type { Environment } from '@dowel/settings';

/** Each action, in one line. */
const summaries: Readonly<Record<ActionName, string>> = {
  refresh: 'present the refresh token now',
  ask: 'ask the platform for a new event now',
  test: 'send one GET to the platform with the stored access token',
  pause: 'let calls fail at once, and send nothing',
  resume: 'end the pause',
  'end-sessions': "end all sessions of the installation's pages",
  'replay-hook': 'run a parked hook delivery again (--hook)',
  'drop-hook': 'never run a parked hook delivery again (--hook)',
  keep: 'keep an uninstalled record until a date (--until 2027-01-31)',
  purge: 'delete an uninstalled installation with its history (--name)',
  name: 'give the installation a name and notes (--name, --notes)',
  acknowledge: 'mark a refused install as seen',
};

export const actionUsage = `On one installation, each with --reason "…" for the audit:
${actionNameSchema.options.map((name) => `  ${`${name} <id>`.padEnd(18)} ${summaries[name]}`).join('\n')}
  audit              list the newest deeds of operators`;

export interface ActionLine {
  args: readonly string[];
  /** All settings, of the environment and of `.env`. */
  environment: Environment;
  say(line: string): void;
  warn(line: string): void;
}

/** Whether the words name one of these commands. */
export function isActionCommand([name]: readonly string[]): boolean {
  return name === 'audit' || actionNameSchema.safeParse(name).success;
}

/** Returns the exit code: 0 done, 1 refused or failed. @throws SyntaxError for a wrong call. */
export async function runActionCommand(line: ActionLine): Promise<number> {
  const { values, positionals } = parseLine(line.args);
  const [name, installationId = ''] = positionals;
  const request = name === 'audit' ? undefined : readRequest(name as ActionName, values);
  if (request && positionals.length !== 2) throw new SyntaxError(`"${name}" takes one id.`);
  // Only these commands need the server's parts.
  const { openActions } = await import('@dowel/server');
  const actions = await openActions(line.environment);
  try {
    if (!request) return await showAudit(actions, line);
    const call = { action: name as ActionName, installationId, request };
    const outcome = await actions.perform(currentUser(), call);
    const isDone = !('code' in outcome);
    if (isDone) line.say(outcome.message);
    else line.warn(outcome.message);
    return isDone ? 0 : 1;
  } finally {
    await actions.close();
  }
}

type Values = ReturnType<typeof parseLine>['values'];

/** Strict: a misspelt option may have been meant to prevent the effect. @throws SyntaxError */
function parseLine(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { reason: text, name: text, notes: text, until: text, hook: text };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new SyntaxError((error as Error).message, { cause: error });
  }
}

/** @throws SyntaxError that names the wrong option */
function readRequest(action: ActionName, { reason, hook, until, ...rest }: Values) {
  const request = {
    ...rest,
    ...(reason !== undefined && { reason }),
    ...(hook !== undefined && { hookId: hook }),
    ...(until !== undefined && { until: Date.parse(until) }),
  };
  const parsed = actionRequestSchemas[action].safeParse(request, { error: plainWords });
  if (parsed.success) return parsed.data as typeof parsed.data & { reason: string };
  throw new SyntaxError(parsed.error.issues.map(describeIssue).join('\n'));
}

/** Whoever reads the key file may do everything. */
function currentUser() {
  const { username } = userInfo();
  return { who: username, role: 'owner', way: 'cli', from: hostname() } as const;
}

async function showAudit(actions: OperatorActions, { say }: ActionLine): Promise<number> {
  const { entries } = await actions.audit({ limit: 50 });
  for (const { at, who, action, target, reason, result } of entries) {
    say([new Date(at).toISOString(), who, action, target ?? '-', result, reason ?? '-'].join('  '));
  }
  return 0;
}
