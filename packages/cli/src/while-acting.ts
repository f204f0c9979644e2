import type { OperatorActions } from '@dowel/server';
import type { CommandContext } from './command.ts';

/** Opens database and token client for one command with operators' actions. @throws what `openActions` throws */
export async function whileActing(
  { environment }: Pick<CommandContext, 'environment'>,
  work: (actions: OperatorActions) => Promise<number>,
): Promise<number> {
  // Only these commands need the server's parts.
  const { openActions } = await import('@dowel/server');
  const actions = await openActions(environment);
  try {
    return await work(actions);
  } finally {
    await actions.close();
  }
}
