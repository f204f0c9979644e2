/** The commands `dowel installations …`, with the filters of the dashboard's list. */
import {
  type FleetDetail,
  type FleetInstallation,
  type FleetList,
  fleetDetailSchema,
  fleetListSchema,
  fleetQuerySchema,
  withoutAccessSince,
} from '@dowel/admin-api';
import { plainWords } from '@dowel/schema';
import { acceptRequest } from './accept-request.ts';
import { callBackEnd, queryOf } from './call-back-end.ts';
import { type Command, type CommandContext, countOf, timeOf } from './command.ts';

export const listInstallations: Command = {
  summary: 'list installations, 100 or --limit, those without access for the longest time first',
  options: [
    'group',
    'state',
    'cause',
    'plugin',
    'scope',
    'search',
    'sort',
    'direction',
    'limit',
    'after',
  ],
  hasJson: true,
  async run(context) {
    const list = await readList(context);
    const { now, installations, next, total } = list;
    context.print({ now, total, next, installations }, () =>
      installations.map((each) => describeRow(each, now)),
    );
    if (next !== null) context.warn(describeRest(list, next));
    return 0;
  },
};

export const showInstallation: Command = {
  summary: 'show the state of one installation',
  takes: ['ID'],
  hasJson: true,
  async run(context) {
    const [id = ''] = context.args;
    const path = `/fleet/installations/${encodeURIComponent(id)}`;
    const detail = await callBackEnd(context, { path, answer: fleetDetailSchema });
    context.print(detail, () => describeDetail(detail));
    return 0;
  },
};

/** A search may need several answers until the page is full. */
async function readList(context: CommandContext): Promise<FleetList> {
  const { plugin: pluginId, ...given } = context.options;
  const query = acceptRequest(
    fleetQuerySchema.safeParse({ ...given, pluginId }, { error: plainWords }),
  );
  const read = (limit: number, after: string | undefined) =>
    callBackEnd(context, {
      path: `/fleet/installations?${queryOf({ ...query, limit, after })}`,
      answer: fleetListSchema,
    });
  const list = await read(query.limit, query.after);
  while (list.isSearching && list.next !== null && list.installations.length < query.limit) {
    const page = await read(query.limit - list.installations.length, list.next);
    list.installations.push(...page.installations);
    list.next = page.next;
    list.isSearching = page.isSearching;
  }
  return list;
}

function describeRow(row: FleetInstallation, now: number): string {
  const since = withoutAccessSince(row, now);
  return [
    row.id,
    row.state.padEnd(15),
    row.cause ?? '-',
    since === null ? '-' : `without access since ${timeOf(since)}`,
    row.host,
    row.name || '-',
  ].join('  ');
}

function describeRest({ installations, total }: FleetList, next: string): string {
  const all = total ? ` of ${total.isExact ? '' : 'more than '}${total.count}` : '';
  return `These are ${countOf(installations.length, 'installation')}${all}. For the next: --after ${next}`;
}

function* describeDetail(detail: FleetDetail): Generator<string> {
  const { installation, since, token, pause, now } = detail;
  const { lastFailure, nextAttempt, cause, name } = installation;
  const brokenSince = withoutAccessSince(installation, now);
  const facts: [string, string | false | null][] = [
    ['id', installation.id],
    ['name', name],
    ['host', installation.host],
    ['tenant', installation.tenantId],
    ['plug-in', installation.pluginId],
    ['state', `${installation.state} since ${timeOf(since)}`],
    ['cause', cause],
    ['without access since', brokenSince !== null && timeOf(brokenSince)],
    ['next attempt', nextAttempt && `${nextAttempt.what} at ${timeOf(nextAttempt.at)}`],
    ['last failure', lastFailure && `${lastFailure.reason} at ${timeOf(lastFailure.at)}`],
    ['token until', token && (token.expiresAt === null ? 'no end' : timeOf(token.expiresAt))],
    ['scopes', detail.scopes.granted.join(' ')],
    ['parked hooks', installation.parkedHooks > 0 && String(installation.parkedHooks)],
    ['paused', pause && `at ${timeOf(pause.at)} by ${pause.by || 'Dowel'}: ${pause.reason}`],
    ['notes', detail.notes],
  ];
  for (const [label, text] of facts) if (text) yield `${label.padEnd(20)}  ${text}`;
}
