import type { OperatorActions } from '@dowel/server';
import type { CommandContext } from './command.ts';

/** Opens what operators' actions need, for one command. @throws what `openActions` throws */
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
