/** Records that a broken installation has tokens again (docs/decisions/0036-hooks.md). */

import type { TokenContext } from './context.ts';
import type { BrokenChange, RecoveredChange, TokenStores } from './token-store.ts';

/** Call it in the transaction that stores tokens, and {@link observeChange} with its result after the commit. */
export async function recordRecovery(
  { applied }: TokenContext,
  stores: TokenStores,
  installationId: string,
): Promise<RecoveredChange | undefined> {
  const change = await stores.usability?.endBroken(installationId);
  if (change) await applied?.(stores, change);
  return change;
}

/** Reports the committed change to the observer. */
export function observeChange(
  { observe }: TokenContext,
  change: BrokenChange | RecoveredChange | undefined,
): void {
  if (!change) return;
  const { installationId } = change;
  if (change.event === 'broken') {
    observe({ type: 'installation_broken', installationId, ...change.data });
  } else observe({ type: 'installation_recovered', installationId, ...change.data });
}
