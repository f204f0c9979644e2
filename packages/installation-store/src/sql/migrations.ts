/** The migrations, forward only. A name is final once it is released. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addAccessEnds } from './access-end-migration.ts';
import { addAlerts } from './alerts-migration.ts';
import { addConditions } from './conditions-migration.ts';
import type { SchemaSpelling } from './database.ts';
import { createFirstTables } from './first-tables-migration.ts';
import { addHooks } from './hooks-migration.ts';
import { addOperatorActions } from './operator-migration.ts';
import {
  addCallEvidence,
  addCallLog,
  addCallSamples,
  addDeliveries,
  countRefusalsByHour,
  dropStatusIndexes,
  joinSamples,
  moveSearchTexts,
  simplifyAlerts,
} from './read-model-migrations.ts';
import { addSamples } from './samples-migration.ts';
import {
  addAccountsOfRuns,
  addAlertAnswers,
  addAuditMeanings,
  addBackEnd,
  addBeginnings,
  addChangeLog,
  addDoubt,
  addEventDetails,
  addExchangeAttempts,
  addExchangeHold,
  addHealing,
  addKeyChecks,
  addKeyLocations,
  addKeysOfProcesses,
  addMoves,
  addOperatorIdentities,
  addOperatorLanguages,
  addOperators,
  addPageClaims,
  addPeople,
  addRefusals,
  addRenewals,
  addReportIndexes,
  addRuns,
  addSearch,
  addShapes,
  addWholeRuns,
  countKeyUses,
  dropUnreadIndex,
  endIdleOperators,
  findInstancesById,
  indexAuditResults,
  keepAdminUrl,
  orderEvents,
  orderInstanceEvents,
} from './small-migrations.ts';

type Migrate = (db: Kysely<unknown>, spelling: SchemaSpelling) => Promise<void>;

/** Entries are never changed. */
const migrations: Readonly<Record<string, Migrate>> = {
  '0001_installations': createFirstTables,
  '0002_renewals': addRenewals,
  '0003_key_checks': addKeyChecks,
  '0004_reports': addReportIndexes,
  '0005_exchange_hold': addExchangeHold,
  '0006_key_uses': countKeyUses,
  '0007_order_of_events': orderEvents,
  '0008_key_locations': addKeyLocations,
  '0009_instance_events': orderInstanceEvents,
  '0010_operators_idle': endIdleOperators,
  '0011_tokens_in_doubt': addDoubt,
  '0012_beginnings': addBeginnings,
  '0013_change_log': addChangeLog,
  '0014_healing': addHealing,
  '0015_hooks': addHooks,
  '0016_conditions': addConditions,
  '0018_operators': addOperators,
  '0019_operator_actions': addOperatorActions,
  '0020_unread_index': dropUnreadIndex,
  '0021_instances_by_id': findInstancesById,
  '0022_refusals': addRefusals,
  '0023_fleet_samples': addSamples,
  '0024_search': addSearch,
  '0025_alerts': addAlerts,
  '0026_runs': addRuns,
  '0027_runs_of_accounts': addAccountsOfRuns,
  '0028_whole_runs': addWholeRuns,
  '0029_back_end': addBackEnd,
  '0030_audit_meanings': addAuditMeanings,
  '0031_access_ends': addAccessEnds,
  '0032_event_details': addEventDetails,
  '0033_exchange_attempts': addExchangeAttempts,
  '0034_audit_results': indexAuditResults,
  '0035_alert_answers': addAlertAnswers,
  '0036_operator_languages': addOperatorLanguages,
  '0038_moves': addMoves,
  '0040_page_claims': addPageClaims,
  '0041_shapes': addShapes,
  '0043_operator_identities': addOperatorIdentities,
  '0044_keys_of_processes': addKeysOfProcesses,
  '0045_status_indexes': dropStatusIndexes,
  '0046_search_text': moveSearchTexts,
  '0047_fleet_minutes': joinSamples,
  '0048_admin_url': keepAdminUrl,
  '0049_plain_alerts': simplifyAlerts,
  '0050_refusals_by_hour': countRefusalsByHour,
  '0051_call_evidence': addCallEvidence,
  '0052_call_log': addCallLog,
  '0053_deliveries': addDeliveries,
  '0054_people': addPeople,
  '0055_call_samples': addCallSamples,
};

/** All migrations by name, for one kind of database. */
export function createMigrations(spelling: SchemaSpelling): Record<string, Migration> {
  const entries = Object.entries(migrations).map(([name, migrate]) => [
    name,
    { up: (db: Kysely<unknown>) => migrate(db, spelling) },
  ]);
  return Object.fromEntries(entries);
}
