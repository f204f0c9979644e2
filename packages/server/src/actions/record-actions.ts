/** Actions that change only what is stored. */
import { longestKeepDays } from '@dowel/admin-api';
import type { OperatedInstallation } from '@dowel/installation-store';
import { endInstallation } from '@dowel/lifecycle';
import { hostOf } from '@dowel/schema';
import {
  type ActionContext,
  type Done,
  done,
  type RequestedAction,
  unchanged,
} from './action-context.ts';
import { ActionRefusedError, unknownInstallation } from './action-errors.ts';
import { purgedAt } from './purged-at.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Longer than the JWT of an event is valid (70 min), so no event from before the uninstall arrives after a purge. */
const purgeableAfterMs = 2 * 60 * 60 * 1000;

export async function pause(
  { store }: ActionContext,
  { actor, installation, request }: RequestedAction<'pause'>,
): Promise<Done> {
  requireInstalled(installation);
  const { reason } = request;
  const isPaused = await store.operators.pause(installation.id, { by: actor.who, reason });
  if (!isPaused) {
    requireInstalled(await lookAgain(store, installation));
    return unchanged('paused_before', 'It was paused already.');
  }
  return done('paused', 'Paused: calls fail at once, and nothing is refreshed or asked for.');
}

function requireInstalled({ status }: OperatedInstallation): void {
  if (status !== 'uninstalled') return;
  throw new ActionRefusedError('uninstalled', 'It is uninstalled.', 'Nothing is sent for it.');
}

/** It may have changed since the action began. @throws ActionRefusedError when it was deleted meanwhile. */
async function lookAgain(
  { operators }: Pick<ActionContext['store'], 'operators'>,
  { id }: OperatedInstallation,
): Promise<OperatedInstallation> {
  const found = await operators.find(id);
  if (!found) throw unknownInstallation();
  return found;
}

export async function resume(
  { store }: ActionContext,
  { installation }: RequestedAction<'resume'>,
): Promise<Done> {
  const isResumed = await store.operators.resume(installation.id);
  return isResumed
    ? done('resumed', 'Resumed: calls are sent again.')
    : unchanged('not_paused', 'It was not paused.');
}

/** Only where the tenant has a newer address: everywhere else the platform uninstalls. */
export async function end(
  context: ActionContext,
  { installation }: RequestedAction<'end'>,
): Promise<Done> {
  requireInstalled(installation);
  if (!installation.hasNewerAddress) {
    const why = 'Its tenant has no newer address.';
    const instead = 'Have it uninstalled on the platform.';
    throw new ActionRefusedError('no_newer_address', why, instead);
  }
  return (await endInstallation(context, installation.id, context.now()))
    ? done('ended', 'Ended: its tokens, its secrets and its sessions are deleted.')
    : unchanged('ended_before', 'It had ended already.');
}

export async function endSessions(
  { store, now }: ActionContext,
  { installation }: RequestedAction<'end-sessions'>,
): Promise<Done> {
  const sessions = await store.operators.endSessions(installation.id, now());
  if (sessions === 0) return { ...unchanged('no_session', 'No session was open.'), sessions };
  return {
    ...done('sessions_ended', `Ended ${sessions} session${sessions === 1 ? '' : 's'}.`),
    sessions,
  };
}

export async function replayHook(
  { store }: ActionContext,
  { installation, request: { hookId } }: RequestedAction<'replay-hook'>,
): Promise<Done> {
  requireOwnHook(installation, hookId);
  const outcome = await store.hooks.replay(hookId);
  if (outcome === 'queued') return done('hook_queued', 'The hook runs again with its next turn.');
  if (outcome === 'superseded') {
    const why = 'That installation has ended, or the delivery was dropped.';
    throw new ActionRefusedError('hook_superseded', why, 'Nothing to do.');
  }
  throw hookNotParked();
}

export async function dropHook(
  { store }: ActionContext,
  { installation, request: { hookId } }: RequestedAction<'drop-hook'>,
): Promise<Done> {
  requireOwnHook(installation, hookId);
  if (await store.hooks.drop(hookId)) return done('hook_dropped', 'The hook does not run again.');
  throw hookNotParked();
}

/** The id of a delivery begins with that of its installation. */
function requireOwnHook({ id }: OperatedInstallation, hookId: string): void {
  if (!hookId.startsWith(id)) throw hookNotParked();
}

function hookNotParked(): ActionRefusedError {
  const why = 'This hook delivery of the installation is not parked.';
  return new ActionRefusedError('hook_not_parked', why, 'Reload the list of parked deliveries.');
}

export async function keep(
  { store, now }: ActionContext,
  { installation, request: { until } }: RequestedAction<'keep'>,
): Promise<Done> {
  const whileInstalled = 'It is kept while it is installed.';
  requireUninstalled(installation, whileInstalled);
  const latest = now() + longestKeepDays * dayMs;
  const earliest = Math.max(now(), purgedAt(installation) ?? 0);
  if (until < earliest || until > latest) {
    const why = 'The record is kept until then anyway, or the date is too far ahead.';
    const instead = `Choose one after ${toDate(earliest)} and within ${longestKeepDays} days.`;
    throw new ActionRefusedError('date_out_of_range', why, instead);
  }
  const isKept = await store.operators.keepUntil(installation.id, until);
  if (isKept) return done('kept', `Kept until ${toDate(until)}.`);
  requireUninstalled(await lookAgain(store, installation), whileInstalled);
  return unchanged('kept_before', `It was kept until ${toDate(until)} already.`);
}

function toDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export async function purge(
  { store, now }: ActionContext,
  { installation, request }: RequestedAction<'purge'>,
): Promise<Done> {
  const first = 'Have it uninstalled on the platform first.';
  requireUninstalled(installation, first);
  const { id, name, issuer, endedAt } = installation;
  const names = [name, targetOf({ name: '', issuer })].filter((each) => each !== '');
  if (!names.includes(request.name)) {
    const why = 'The typed name is not the name or the host of this installation.';
    throw new ActionRefusedError('name_differs', why, 'Type it as it is shown.');
  }
  if (await store.operators.purge(id, purgeableAfterMs)) {
    return done('purged', 'Purged: its identity and its history are deleted.');
  }
  requireUninstalled(await lookAgain(store, installation), first);
  const leftMs = (endedAt ?? now()) + purgeableAfterMs - now();
  // The database has the last word, and its clock may differ.
  const minutes = Math.max(1, Math.ceil(leftMs / 60_000));
  const why = 'Events from before its end may still arrive, and would bring it back.';
  throw new ActionRefusedError('ended_recently', why, `Try again in ${minutes} min.`);
}

function requireUninstalled({ status }: OperatedInstallation, instead: string): void {
  if (status === 'uninstalled') return;
  throw new ActionRefusedError('still_installed', 'It is not uninstalled.', instead);
}

export async function rename(
  { store }: ActionContext,
  { installation, request: { name, notes } }: RequestedAction<'name'>,
): Promise<Done> {
  const isWritten = await store.operators.describe(installation.id, {
    ...(name !== undefined && { name }),
    ...(notes !== undefined && { notes }),
  });
  return isWritten
    ? done('described', 'Name and notes are stored.')
    : unchanged('described_before', 'They were already like this.');
}

export async function acknowledge(
  { store }: ActionContext,
  { installation }: RequestedAction<'acknowledge'>,
): Promise<Done> {
  if (!installation.isInstallRefused) {
    const why = 'Its install was not refused.';
    throw new ActionRefusedError('not_refused', why, 'There is nothing to mark.');
  }
  const { id, generation } = installation;
  if (await store.operators.acknowledge(id, generation)) return done('marked', 'Marked as seen.');
  const found = await store.operators.find(id);
  if (found?.generation === generation && found.isAcknowledged) {
    return unchanged('marked_before', 'It was marked already.');
  }
  throw new ActionRefusedError('not_refused', 'It was installed again.', 'Look at it first.');
}

/** The name of an installation for operators: its own name, or its host, with the path if it has one. */
export function targetOf({ name, issuer }: Pick<OperatedInstallation, 'name' | 'issuer'>): string {
  return name === '' ? hostOf(issuer) : name;
}
