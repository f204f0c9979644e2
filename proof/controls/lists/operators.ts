/** The controls of what operators do (threat group F). */
import { type Control, controlsOf } from '../control.ts';

const server = 'packages/server/src';
const actions = [`${server}/dashboard/actions.test.ts`];
const settings = [`${server}/dashboard/settings-routes.test.ts`];
const paused = ['packages/token-client/src/paused.test.ts'];
const contract = ['packages/installation-store/src/store-contract.test.ts'];
const store = 'packages/installation-store/src';
const separate = ['packages/lifecycle/src/separate-installations.test.ts'];
const webhook = [`${server}/alerts/webhook-channel.test.ts`];
const mail = [`${server}/alerts/mail-channel.test.ts`];
const alertRoutes = [`${server}/dashboard/alert-routes.test.ts`];

export const controls: Control[] = [
  ...controlsOf(
    `${server}/frontend/frontend-routes.ts`,
    [`${server}/frontend/frontend-routes.test.ts`],
    [['F29', '...(frontend?.sandbox !== false && { sandbox: sandboxFlags }),']],
  ),
  ...controlsOf(
    `${server}/dashboard/admin-routes.ts`,
    [`${server}/dashboard/admin-api.test.ts`],
    [['F29', ' || !isOfOwnPage(ctx)']],
  ),
  ...controlsOf(
    `${server}/http/own-routers.ts`,
    [`${server}/http/own-answers.test.ts`],
    [['F29', 'if (!hasPolicy(headers) && ctx.response.is(...documentTypes)) sandbox(ctx);']],
  ),
  ...controlsOf(`${server}/actions/perform-action.ts`, actions, [
    ['F21', 'requireRole(actor, action);'],
  ]),
  ...controlsOf(
    'packages/installation-store/src/record-action.ts',
    [`${server}/dashboard/account-routes.test.ts`],
    [['F21', 'await audit.end(id, failureOf(error)).catch(() => undefined);']],
  ),
  ...controlsOf(`${server}/actions/record-actions.ts`, actions, [
    ['F22', 'if (!names.includes(request.name))', 'if (names.length === 0)'],
  ]),
  ...controlsOf(
    `${server}/actions/runs.ts`,
    [`${server}/dashboard/runs.test.ts`],
    [
      ['F21', '      assertRole(actor, neededRole);\n      return store.runs.requestStop(id);'],
      ['F23', "state === 'running' && !closing.aborted", '!closing.aborted'],
      ['F23', 'if (isLeft) await store.runs.report({ id, claim }, progress, 0);\n  else ', ''],
    ],
  ),
  ...controlsOf(`${server}/settings/describe-settings.ts`, settings, [
    [
      'F25',
      'if (value === undefined || value instanceof Secret) return [];',
      'if (value === undefined) return [];\n  if (value instanceof Secret) return [value.reveal()];',
    ],
    ['F25', 'text.length < minRandomLength || ', ''],
    ['F25', ' || new Set(text).size < minDifferent', ''],
  ]),
  ...controlsOf(`${server}/settings/describe-settings.ts`, settings, [
    ['F25', "url.password = '';"],
    ['F25', 'url.search = String(new URLSearchParams(plain));'],
  ]),
  ...controlsOf(
    `${server}/dashboard/fleet-export.ts`,
    [`${server}/dashboard/fleet-export.test.ts`],
    [
      ['F05', ' && (await hasSession(context, session))'],
      ['F05', 'exporting.add(operator);'],
    ],
  ),
  ...controlsOf(`${server}/dashboard/settings-routes.ts`, settings, [
    ['F12', "requireRole(ctx, 'operator');"],
  ]),
  ...controlsOf(`${server}/alerts/webhook-channel.ts`, webhook, [
    ['F26', "redirect: 'manual',"],
    [
      'F26',
      'createGuardedFetch({ internalOrigins: [...internalOrigins, ...own] })',
      'own ? globalThis.fetch : createGuardedFetch({ internalOrigins })',
    ],
  ]),
  ...controlsOf(`${server}/alerts/mail-channel.ts`, mail, [
    ['F26', 'requireTLS: !isTls && !isLoopback(url),'],
  ]),
  ...controlsOf(`${server}/alerts/alert-message.ts`, mail, [
    ['F26', ".replaceAll(/[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\s]+/gu, ' ')"],
  ]),
  ...controlsOf(`${server}/alerts/alert-settings.ts`, webhook, [
    ['F26', 'new URL(url.reveal()).origin', 'url.reveal()'],
  ]),
  ...controlsOf(`${server}/actions/alert-actions.ts`, alertRoutes, [
    ['F21', "assertRole(actor, 'operator');\n      await alerts.silence(", 'await alerts.silence('],
    ['F21', "assertRole(actor, 'operator');\n      return alerts", 'return alerts'],
    ['F21', "assertRole(actor, 'operator');\n      const result", 'const result'],
    ['F26', 'isOperator ? target : target &&', 'target ||'],
    ['F26', 'isOperator ? last : last && ', 'true ? last : last && '],
  ]),
  ...controlsOf(`${store}/alerts/evaluate-alerts.ts`, contract, [
    ['told twice', 'if (!locksRows) return;', 'if (locksRows || !locksRows) return;'],
  ]),
  ...controlsOf(`${store}/alerts/alert-messages.ts`, contract, [
    ['sent twice', ".where('attempts', '=', due.attempts)"],
  ]),
  ...controlsOf(`${store}/sql/runs-migration.ts`, contract, [
    ['F23', 'create unique index runs_under_way', 'create index runs_under_way'],
  ]),
  ...controlsOf(`${store}/operators/run-store.ts`, contract, [
    [
      'F05',
      'account_revision is not null and not exists',
      'account_revision is null and not exists',
    ],
    ['F23', 'is_whole: 0,', 'is_whole: 1,'],
    [
      'F23',
      "since it was found.\n    .where(hasLapsed(now, 'runs.leased_until'))",
      'since it was found.',
    ],
    [
      'F23',
      "else state end`,\n    })\n    .where('id', '=', id)\n    .where('claim', '=', claim)",
      "else state end`,\n    })\n    .where('id', '=', id)",
    ],
    [
      'F23',
      "ended_at: now(),\n    })\n    .where('id', '=', id)\n    .where('claim', '=', claim)",
      "ended_at: now(),\n    })\n    .where('id', '=', id)",
    ],
  ]),
  ...controlsOf('packages/token-client/src/usable-grant.ts', paused, [
    ['F20', 'if (grant.isPaused) throw installationPaused();'],
    ['F20', 'return rereadIfChanged(context, known);\n}', 'return known;\n}'],
  ]),
  ...controlsOf('packages/token-client/src/save-tokens.ts', paused, [
    [
      'F20',
      'cache.put({ ...refreshed, isInDoubt, isPaused })',
      'cache.put({ ...refreshed, isInDoubt })',
    ],
    ['F20', 'const mayBePaused = heard.changes > 0;', 'const mayBePaused = false;'],
    ['F20', 'if (heard.changes === 0) return kept;', 'return kept;'],
    ['F20', 'await failed?.();'],
  ]),
  ...controlsOf('packages/token-client/src/grant-cache.ts', paused, [
    ['F20', 'else unsaved.set(installationId, { ...grant, isPaused: stored.isPaused });'],
    ['F20', 'if (stored?.generation !== grant.generation) unsaved.delete(', 'if (!stored) ('],
  ]),
  ...controlsOf(`${store}/stores/refresh-lease.ts`, contract, [
    [
      'F20',
      ".where(isNotPaused('grants.installation_id'))\n    .where('refresh_token_sealed'",
      ".where('refresh_token_sealed'",
    ],
    [
      'F20',
      ".where(isNotPaused('grants.installation_id'))\n    .where('lease_owner'",
      ".where('lease_owner'",
    ],
  ]),
  ...controlsOf(`${store}/stores/triggers.ts`, contract, [
    ['F20', "if (row.pausedAt !== null) return { outcome: 'paused' };"],
  ]),
  ...controlsOf(`${store}/stores/healing.ts`, contract, [
    ['F20', ".where('paused_at', 'is', null)"],
  ]),
  ...controlsOf(`${store}/stores/other-address.ts`, contract, [
    ['B12', 'if (!mayRest) continue;'],
    ['B12', 'coalesce(applied_iat, 0) <', '0 <'],
    ['rest', "failingSince, '<='", "failingSince, '<>'"],
    ['rest', ".where('condition', 'in', ['failing', 'awaiting', 'pending'])"],
  ]),
  ...controlsOf(`${store}/stores/set-pause.ts`, contract, [
    ['rest', 'case when paused_by is not null then paused_at end', 'paused_at'],
    ['rest', '(paused_at is null or paused_by is null)', 'paused_at is null'],
  ]),
  ...controlsOf('packages/lifecycle/src/delivery.ts', separate, [
    ['rest', 'if (installation.hasMoved) await installations.endMove(installation.id);'],
  ]),
  ...controlsOf(`${server}/actions/record-actions.ts`, actions, [
    ['end', 'if (!installation.hasNewerAddress)', 'if (false)'],
  ]),
];
