/** The commands that act on one installation: `dowel refresh <id> --reason …`, and `dowel audit`. */
import {
  type ActionName,
  actionNameSchema,
  actionRequestSchemas,
  describeIssue,
  plainWords,
} from '@dowel/schema';
import type { OperatorActions } from '@dowel/server';
import type { Command, CommandContext } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileActing } from './while-acting.ts';

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

export const actionCommands: Readonly<Record<string, Command>> = {
  ...Object.fromEntries(actionNameSchema.options.map((name) => [name, createActionCommand(name)])),
  audit: {
    summary: 'list the newest deeds of operators',
    run: (context) => whileActing(context, (actions) => showAudit(actions, context)),
  },
};

function createActionCommand(action: ActionName): Command {
  return {
    summary: summaries[action],
    takes: ['ID'],
    options: ['reason', 'name', 'notes', 'until', 'hook'],
    async run(context) {
      const [installationId = ''] = context.args;
      const call = { action, installationId, request: readRequest(action, context.options) };
      return whileActing(context, async (actions) => {
        const outcome = await actions.perform(currentUser(), call);
        const isDone = !('code' in outcome);
        if (isDone) context.say(outcome.message);
        else context.warn(outcome.message);
        return isDone ? 0 : 1;
      });
    },
  };
}

/** @throws SyntaxError that names the wrong option */
function readRequest(action: ActionName, { hook, until, ...rest }: CommandContext['options']) {
  const request = {
    ...rest,
    ...(hook !== undefined && { hookId: hook }),
    ...(until !== undefined && { until: Date.parse(until) }),
  };
  const parsed = actionRequestSchemas[action].safeParse(request, { error: plainWords });
  if (parsed.success) return parsed.data as typeof parsed.data & { reason: string };
  throw new SyntaxError(parsed.error.issues.map(describeIssue).join('\n'));
}

async function showAudit(actions: OperatorActions, { say }: CommandContext): Promise<number> {
  const { entries } = await actions.audit({ limit: 50 });
  for (const { at, who, action, target, reason, result } of entries) {
    say([new Date(at).toISOString(), who, action, target ?? '-', result, reason ?? '-'].join('  '));
  }
  return 0;
}
