/** Token sets, one per installation. They are replaced only by compare-and-swap on (generation, version). */
import { joinScopes, splitScope } from '@dowel/schema';
import type {
  ClientAccess,
  EventOrder,
  Grant,
  GrantStore,
  GrantVersion,
  InstallationLife,
  StoredVersion,
  TokenSet,
} from '@dowel/token-client';
import { type RawBuilder, sql } from 'kysely';
import {
  createSeal,
  findOwner,
  openGrant,
  openStored,
  sealAccess,
  sealTokens,
} from '../sealing/seal-grant.ts';
import type { Owner } from '../sealing/sealed-columns.ts';
import { type Database, lockInstallation } from '../sql/database.ts';
import { severalCodes } from '../sql/tables.ts';
import { type Moved, settleTokens } from './condition.ts';
import { abandonedAt, settleHealing } from './healing.ts';
import { isOfLife, leftovers, newLife } from './life-rules.ts';
import { markAwaitingEvent } from './mark-awaiting-event.ts';
import type { StoreContext } from './store-context.ts';

/** The tokens from an event, and the event's place in the order. */
interface Brought {
  access: ClientAccess;
  tokens: TokenSet;
  order: EventOrder;
}

/** The row after its next token version was counted; its condition is not settled yet. */
type NextVersion = Moved & { token_version: number; paused_at: number | null };

/** A new token set starts without lease and failures. */
const unleased = {
  lease_owner: null,
  lease_until: null,
  presented: 0,
  unanswered: 0,
  failures: 0,
  next_refresh_at: null,
  failing_since: null,
  probe_at: null,
};

/**
 * The time from the tokens of a requested event to the next trigger. Without it, a platform that refuses its
 * own tokens would cause a trigger for each of them.
 */
const triggerRestMs = 30_000;

/** True if more requests may still arrive than the one that brought the tokens. */
const severalUnanswered = sql<number>`case when grants.unanswered > 1 then 1 else 0 end`;

/**
 * The token sets of one database, sealed. Its methods throw what the database throws; `load` throws
 * StoreError `SECRET_INTEGRITY` or `KEY_UNKNOWN` where a secret cannot be opened.
 */
export function createGrantStore(context: StoreContext): GrantStore {
  return {
    load: (installationId) => loadGrant(context, installationId),
    findVersion: (installationId) => findVersion(context, installationId),
    replace: (installation, access, tokens, order) =>
      replaceGrant(context, installation, { access, tokens, order }),
    commitRefresh: (refreshed, tokens) => commitRefresh(context, refreshed, tokens),
    markAwaitingEvent: (version, reason, at) => markAwaitingEvent(context, version, { reason, at }),
  };
}

async function loadGrant(
  { db, keyring }: StoreContext,
  installationId: string,
): Promise<Grant | undefined> {
  const row = await db
    .selectFrom('grants')
    .selectAll()
    .where('installation_id', '=', installationId)
    .executeTakeFirst();
  const owner = row && (await findOwner(db, installationId));
  if (!row || !owner) return undefined;
  return openStored(db, installationId, () => openGrant(keyring, row, owner));
}

async function findVersion(
  { db }: StoreContext,
  installationId: string,
): Promise<StoredVersion | undefined> {
  const row = await db
    .selectFrom('grants')
    .innerJoin('installations', 'installations.id', 'grants.installation_id')
    .select(['grants.generation', 'grants.token_version', 'grants.granted_scopes as scope'])
    .select('installations.paused_at as pausedAt')
    .where('grants.installation_id', '=', installationId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { generation, token_version: tokenVersion, scope, pausedAt } = row;
  const grantedScopes = splitScope(scope);
  return { installationId, generation, tokenVersion, grantedScopes, isPaused: pausedAt !== null };
}

async function replaceGrant(
  context: StoreContext,
  installation: InstallationLife,
  brought: Brought,
): Promise<'stored' | 'superseded' | 'ended'> {
  const { db, tokensChanged } = context;
  const { id } = installation;
  const { iat } = brought.order;
  // The life must not end between these statements: the code is spent, and its tokens belong to one life.
  await lockInstallation(context, id);
  // control C08
  await beginNextLife(context, id, iat);
  const next = await nextVersionByEvent(context, installation, brought);
  const owner = await findOwner(db, id);
  if (!owner || next === undefined) return explainRefusal(context, installation, iat);
  await writeGrant(context, { owner, tokenVersion: next.token_version }, brought);
  await endHold(context, id);
  await db
    .deleteFrom('exchange_intents')
    .where('installation_id', '=', id)
    .where('iat', '<', iat)
    .execute();
  await settleHealing(context, id);
  const hasRefreshToken = brought.tokens.refreshToken !== null;
  await settleTokens(context, next, { hasRefreshToken, endedBy: 'event' });
  tokensChanged(id);
  return 'stored';
}

/** If the event was signed after the end of the last life, its code begins the next one. */
async function beginNextLife({ db, now }: StoreContext, id: string, iat: number): Promise<void> {
  await db
    .updateTable('installations')
    .set({
      ...leftovers,
      ...newLife(iat, null, false),
      created_at: now(),
      generation: sql`generation + 1`,
    })
    .where('id', '=', id)
    .where('status', '=', 'uninstalled')
    .where('ended_iat', '<', iat)
    .execute();
}

/**
 * Returns the version for an event's tokens. Undefined: the event belongs to another life, or tokens of a
 * newer event are stored.
 */
async function nextVersionByEvent(
  { db, now }: StoreContext,
  { id, generation, appliedIat }: InstallationLife,
  { tokens, order: { iat, newestIat } }: Brought,
): Promise<NextVersion | undefined> {
  // Only a refresh proves that the platform accepts its own tokens.
  const rest = sql<number>`case when next_trigger_at > ${now()}
    then ${now()} + ${triggerRestMs} end`;
  return nextVersion(db, id, { tokens, nextTriggerAt: rest })
    .set({
      applied_iat: sql`case when applied_iat > ${iat} then applied_iat else ${iat} end`,
    })
    .where(isOfLife(generation, iat))
    .where((eb) =>
      eb.or([
        eb('applied_iat', 'is', null),
        eb('applied_iat', '<=', iat),
        // A newer event was applied during this exchange: its tokens are kept, too.
        eb.and([eb('applied_iat', '=', appliedIat), eb('applied_iat', '<=', newestIat)]),
      ]),
    )
    .executeTakeFirst();
}

/** Finds out why an event's tokens were not stored. */
async function explainRefusal(
  { db }: StoreContext,
  { id, generation }: InstallationLife,
  iat: number,
): Promise<'superseded' | 'ended'> {
  const current = await db
    .selectFrom('installations')
    .select('id')
    .where('id', '=', id)
    .where('status', '!=', 'uninstalled')
    .where(isOfLife(generation, iat))
    .executeTakeFirst();
  return current ? 'superseded' : 'ended';
}

async function writeGrant(
  context: StoreContext,
  { owner, tokenVersion }: { owner: Owner & { id: string }; tokenVersion: number },
  { access, tokens }: Brought,
): Promise<void> {
  const { db } = context;
  const { id, generation } = owner;
  const hold = await findHold(context, id, generation);
  const seal = createSeal(context.keyring, owner);
  const isInDoubt = tokens.isInDoubt || hold.held_for !== null;
  const values = {
    generation,
    token_version: tokenVersion,
    ...unleased,
    ...sealAccess(seal, access),
    ...sealTokens(seal, tokens),
    in_doubt: isInDoubt ? 1 : 0,
  };
  await db
    .insertInto('grants')
    .values({ installation_id: id, ...values, ...hold })
    .onConflict((conflict) =>
      conflict.column('installation_id').doUpdateSet({
        ...values,
        // When several codes are exchanged at once, the server may revoke the tokens of another code.
        in_doubt: sql`case when ${values.in_doubt} = 1 or grants.held_for = ${severalCodes}
          then 1 else ${severalUnanswered} end`,
      }),
    )
    .execute();
}

/** The hold of codes that were exchanged at the same time before a grant existed. */
async function findHold({ db }: StoreContext, id: string, generation: number) {
  const intent = await db
    .selectFrom('exchange_intents')
    .select(['held_for', 'held_until'])
    .where('installation_id', '=', id)
    .where('generation', '=', generation)
    .where('held_for', '=', severalCodes)
    .executeTakeFirst();
  return intent ?? { held_for: null, held_until: null };
}

/** Ends the hold, unless several codes are being exchanged. */
async function endHold({ db }: StoreContext, id: string): Promise<void> {
  await db
    .updateTable('grants')
    .set({ held_for: null, held_until: null })
    .where('installation_id', '=', id)
    .where('held_for', '!=', severalCodes)
    .execute();
}

async function commitRefresh(
  context: StoreContext,
  { installationId, generation, tokenVersion: refreshed }: GrantVersion,
  tokens: TokenSet,
): Promise<Pick<Grant, 'isInDoubt' | 'isPaused'> | undefined> {
  const { db, tokensChanged } = context;
  // After a wait for the row, a sub-select of the same statement would still see the intents from before.
  await lockInstallation(context, installationId);
  const owner = await findOwner(db, installationId);
  // An older version is stored only after a failover to a server that lacked the newest ones.
  const tokenVersion = refreshed + 1;
  const next = await nextVersion(db, installationId, { tokens, nextTriggerAt: null, tokenVersion })
    .where('generation', '=', generation)
    .where('token_version', '<=', refreshed)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('grants').select('generation').where('installation_id', '=', installationId),
      ),
    )
    .executeTakeFirst();
  if (!owner || next === undefined) return undefined;
  const seal = createSeal(context.keyring, owner);
  const { in_doubt } = await db
    .updateTable('grants')
    .set({
      token_version: next.token_version,
      ...unleased,
      ...sealTokens(seal, tokens),
      in_doubt: severalUnanswered,
    })
    .where('installation_id', '=', installationId)
    .returning('in_doubt')
    .executeTakeFirstOrThrow();
  const hasRefreshToken = tokens.refreshToken !== null;
  await settleTokens(context, next, { hasRefreshToken, endedBy: 'refresh' });
  tokensChanged(installationId);
  return { isInDoubt: in_doubt === 1, isPaused: next.paused_at !== null };
}

/** Moves the installation to its next token version. The caller adds the conditions for the current state. */
function nextVersion(
  db: Database['db'],
  id: string,
  {
    tokens,
    nextTriggerAt,
    tokenVersion = sql<number>`token_version + 1`,
  }: {
    tokens: TokenSet;
    nextTriggerAt: RawBuilder<number> | null;
    tokenVersion?: number | RawBuilder<number>;
  },
) {
  const scope = joinScopes(tokens.grantedScopes);
  return db
    .updateTable('installations')
    .set({
      token_version: tokenVersion,
      status: 'active',
      error_reason: null,
      error_at: null,
      next_trigger_at: nextTriggerAt,
      triggers: 0,
      heal_at: abandonedAt,
      granted_scopes: scope,
      scopes_at: sql`case when granted_scopes = ${scope} then scopes_at
        else cast(${tokens.issuedAt} as bigint) end`,
      token_expires_at: tokens.expiresAt,
    })
    .where('id', '=', id)
    .where('status', '!=', 'uninstalled')
    .returning(['id', 'generation', 'token_version', 'condition', 'cause', 'paused_at']);
}
