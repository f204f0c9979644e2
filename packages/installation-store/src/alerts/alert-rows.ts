/** Converts the rows of alerts to the types of the API. */
import {
  type Alert,
  type AlertAnswer,
  type AlertDelivery,
  alertAnswerSchema,
  alertFactsSchema,
} from '@dowel/admin-api';
import type { Selectable } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export function alertOf(row: Selectable<Tables['alerts']>): Alert {
  const { id, rule, subject, since, peak } = row;
  return {
    id,
    rule,
    subject,
    since,
    openedAt: row.opened_at ?? since,
    clearSince: row.clear_since,
    recoveredAt: row.recovered_at,
    // An older version stored fewer members.
    facts: alertFactsSchema.parse(JSON.parse(row.facts)),
    peak,
  };
}

export function deliveryOf(row: Selectable<Tables['alert_messages']>): AlertDelivery {
  const { id, kind, state, attempts } = row;
  return {
    id,
    kind,
    state,
    attempts,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    nextAttemptAt: state === 'waiting' ? row.due_at : null,
    lastError: row.last_error,
    lastAnswer: readAnswer(row.last_answer),
  };
}

/** A newer version may have written an answer that this one does not know: then there is only the English sentence. */
function readAnswer(text: string | null): AlertAnswer | null {
  return text === null ? null : (alertAnswerSchema.safeParse(JSON.parse(text)).data ?? null);
}
