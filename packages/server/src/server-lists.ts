/** Lists installations, widgets and parked hooks for the program. */
import type {
  Installation,
  InstallationFilter,
  ParkedHook,
  Store,
} from '@dowel/installation-store';
import { installationStatusSchema } from '@dowel/schema';
import { assertNames, assertOneOf, assertText, assertWhole } from './base/option-shapes.ts';
import type { InstallationQuery } from './server-options.ts';

const queryNames: { [Name in keyof Required<InstallationQuery>]: true } = {
  status: true,
  plugin: true,
  pageSize: true,
};

const filters = [...installationStatusSchema.options, 'attention'] satisfies InstallationFilter[];

/** Without this check, a misspelt filter would match all installations, and a misspelt value none. */
function assertQuery(query: InstallationQuery): void {
  assertNames('', query, queryNames, 'installations.list');
  const { status, plugin, pageSize } = query;
  assertOneOf('The status of installations.list', status, filters);
  assertText('The plugin of installations.list', plugin);
  assertWhole('The pageSize of installations.list', pageSize, { least: 1, most: 100 });
}

/** Reads one page after another. An installation that is added meanwhile may be left out. */
export async function* listInstallations(
  { reports, installations }: Pick<Store, 'reports' | 'installations'>,
  query: InstallationQuery,
): AsyncGenerator<Installation> {
  assertQuery(query);
  const { status, plugin, pageSize = 50 } = query;
  let after: string | undefined;
  do {
    const page = await reports.listInstallations({
      limit: pageSize,
      ...(status && { status }),
      ...(after && { after }),
    });
    const found = await Promise.all(page.installations.map(({ id }) => installations.get(id)));
    for (const installation of found) {
      if (!installation) continue;
      if (plugin === undefined || installation.plugin === plugin) yield installation;
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
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
