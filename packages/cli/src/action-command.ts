/** The commands that act on one installation: `dowel refresh <id> --reason …`. */
import {
  type ActionName,
  actionNameSchema,
  actionRequestSchemas,
  actionResultSchema,
} from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd } from './call-back-end.ts';
import { type Command, type CommandContext, parseTime } from './command.ts';

/** The line of each action in the list of commands. */
const summaries: Readonly<Record<ActionName, string>> = {
  refresh: 'present the refresh token now',
  ask: 'ask the platform for a new event now',
  test: 'send one GET to the platform with the stored access token',
  pause: 'let calls fail at once, and send nothing',
  resume: 'end the pause',
  end: 'end an installation whose tenant has a newer address',
  'end-sessions': "end all sessions of the installation's pages",
  'replay-hook': 'run a parked hook delivery again (--hook)',
  'drop-hook': 'never run a parked hook delivery again (--hook)',
  keep: 'keep an uninstalled record until a date (--until 2027-01-31)',
  purge: 'delete an uninstalled installation with its history (--name)',
  name: 'give the installation a name and notes (--name, --notes)',
  acknowledge: 'mark a refused install as seen',
};

/** The options of an action that needs more than `--reason`. */
const furtherOptions: Readonly<Partial<Record<ActionName, readonly string[]>>> = {
  'replay-hook': ['hook'],
  'drop-hook': ['hook'],
  keep: ['until'],
  purge: ['name'],
  name: ['name', 'notes'],
};

export const actionCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  actionNameSchema.options.map((name) => [name, createActionCommand(name)]),
);

function createActionCommand(action: ActionName): Command {
  return {
    summary: summaries[action],
    takes: ['ID'],
    options: ['reason', ...(furtherOptions[action] ?? [])],
    async run(context) {
      const [id = ''] = context.args;
      const { message } = await callBackEnd(context, {
        method: 'POST',
        path: `/installations/${encodeURIComponent(id)}/actions/${action}`,
        body: readRequest(action, context.options),
        answer: actionResultSchema,
      });
      context.say(message);
      return 0;
    },
  };
}

/** @throws MisuseError that names the wrong option */
function readRequest(
  action: ActionName,
  { hook, until, ...rest }: CommandContext['options'],
): object {
  const request = {
    ...rest,
    ...(hook !== undefined && { hookId: hook }),
    ...(until !== undefined && { until: parseTime('until', until) }),
  };
  return acceptRequest(actionRequestSchemas[action].safeParse(request, { error: plainWords }));
}
