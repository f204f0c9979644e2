/** Lists installations, widgets and parked hooks for the program. */
import { groupOf, stateOf } from '@dowel/admin-api';
import type { Installation, ParkedHook, Store } from '@dowel/installation-store';
import { installationStatusSchema } from '@dowel/schema';
import { assertNames, assertOneOf, assertText, assertWhole } from '../base/option-shapes.ts';
import type { InstallationQuery } from '../server-options.ts';

type ListedStore = Pick<Store, 'reports' | 'installations'>;

const queryNames: { [Name in keyof Required<InstallationQuery>]: true } = {
  status: true,
  group: true,
  plugin: true,
  pageSize: true,
};

/** Without this check, a misspelt filter would match all installations, and a misspelt value none. */
function assertQuery(query: InstallationQuery): void {
  assertNames('', query, queryNames, 'installations.list');
  const { status, group, plugin, pageSize } = query;
  assertOneOf('The status of installations.list', status, installationStatusSchema.options);
  assertOneOf('The group of installations.list', group, ['broken', 'risk']);
  assertText('The plugin of installations.list', plugin);
  assertWhole('The pageSize of installations.list', pageSize, { least: 1, most: 100 });
}

/** By their ids, one page after another. An installation that is added meanwhile may be left out. */
export async function* listInstallations(
  store: ListedStore,
  query: InstallationQuery,
): AsyncGenerator<Installation> {
  assertQuery(query);
  const { status, group, plugin, pageSize = 50 } = query;
  for await (const page of pagesOf(store, pageSize)) {
    const ofGroup = group && (await listIdsOf(store, group, page));
    for (const installation of page) {
      if (status !== undefined && installation.status !== status) continue;
      if (plugin !== undefined && installation.plugin !== plugin) continue;
      if (ofGroup?.has(installation.id) ?? true) yield installation;
    }
  }
}

async function* pagesOf({ installations }: ListedStore, limit: number) {
  let page: Installation[] = [];
  do {
    page = await installations.listAfter(page.at(-1)?.id ?? '', limit);
    yield page;
  } while (page.length === limit);
}

async function listIdsOf(
  { reports }: ListedStore,
  group: InstallationQuery['group'],
  page: readonly Installation[],
): Promise<Set<string>> {
  const rows = await reports.readRows(page.map(({ id }) => id));
  const now = Date.now();
  return new Set(rows.filter((row) => groupOf(stateOf(row, now)) === group).map(({ id }) => id));
}

export function getInstallation(
  { installations }: Pick<Store, 'installations'>,
  id: string,
): Promise<Installation | undefined> {
  return installations.get(id);
}

/** The placed widgets, in the order of their ids. */
export async function* listInstanceIds(
  { installations }: Pick<Store, 'installations'>,
  id: string,
): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const page = await installations.listInstances(id, { after, limit: 200 });
    yield* page;
    if (page.length < 200) return;
    after = page.at(-1) ?? '';
  }
}

/** The parked deliveries, by installation, then oldest first. */
export async function* listParkedHooks(
  { hooks }: Pick<Store, 'hooks'>,
  query: { installationId?: string },
): AsyncGenerator<ParkedHook> {
  assertNames('', query, { installationId: true }, 'hooks.parked');
  const { installationId } = query;
  const limit = 100;
  let after: string | undefined;
  for (;;) {
    const page = await hooks.listParked({ installationId, after, limit });
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1)?.id;
  }
}
