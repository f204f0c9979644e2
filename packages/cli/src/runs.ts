/** The commands `dowel runs …`: one action on all installations of a filter. */
import { type Run, runListSchema, runRequestSchema, runSchema } from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd } from './call-back-end.ts';
import { type Command, MisuseError, timeOf } from './command.ts';

const filters = ['group', 'state', 'cause', 'plugin', 'scope', 'search'];

export const startRun: Command = {
  summary: 'do an action to all installations of a filter',
  takes: ['ACTION'],
  options: ['reason', ...filters],
  hasJson: true,
  async run(context) {
    const [action] = context.args;
    const { reason, plugin: pluginId, ...given } = context.options;
    // A filter that was forgotten must not take the whole fleet.
    if (filters.every((name) => context.options[name] === undefined)) {
      throw new MisuseError(`Which installations? Give one of --${filters.join(', --')}.`);
    }
    const filter = pluginId === undefined ? given : { ...given, pluginId };
    const body = acceptRequest(
      runRequestSchema.safeParse({ action, reason, filter }, { error: plainWords }),
    );
    const run = await callBackEnd(context, {
      method: 'POST',
      path: '/runs',
      body,
      answer: runSchema,
    });
    context.print(run, () => [describeRun(run)]);
    return 0;
  },
};

export const listRuns: Command = {
  summary: 'list the runs of the last day, the newest first',
  hasJson: true,
  async run(context) {
    const list = await callBackEnd(context, { path: '/runs', answer: runListSchema });
    context.print(list, () => list.runs.map(describeRun));
    return 0;
  },
};

export const stopRun: Command = {
  summary: 'stop a run; what was done stays done',
  takes: ['ID'],
  hasJson: true,
  async run(context) {
    const [id = ''] = context.args;
    const path = `/runs/${encodeURIComponent(id)}`;
    const run = await callBackEnd(context, { method: 'DELETE', path, answer: runSchema });
    context.print(run, () => [describeRun(run)]);
    return 0;
  },
};

function describeRun(run: Run): string {
  const { id, action, state, startedAt, total, who, reason } = run;
  const results = (['done', 'unchanged', 'refused', 'failed'] as const)
    .map((name) => `${run[name]} ${name}`)
    .join(', ');
  return [id, timeOf(startedAt), state, `${action}: ${results}, of ${total}`, who, reason].join(
    '  ',
  );
}
