import type { EventRecord, TokenOperation } from '@dowel/admin-api';
import type { Store } from '../store.ts';

/** An installation's facts with its whole history, newest first. Undefined: there is none of this id. */
export async function describeInstallation({ reports }: Pick<Store, 'reports'>, id: string) {
  const facts = await reports.describe(id);
  if (!facts) return undefined;
  const kinds = ['event', 'refresh', 'trigger'] as const;
  const { entries } = await reports.listTimeline(id, { limit: 5_000, kinds });
  const events: EventRecord[] = [];
  const tokenOperations: TokenOperation[] = [];
  for (const each of entries) {
    if (each.kind === 'event') events.push(each.entry);
    else if (each.kind !== 'hook') tokenOperations.push(each.entry);
  }
  return { ...facts, events, tokenOperations };
}
