import { expect, test } from 'vitest';
import { alertOf } from './alert-rows.ts';

test('an alert that an older version stored has what its readers expect', () => {
  const worst = [{ installationId: 'one', name: 'Acme', detail: 'invalid_grant', since: 1 }];
  const facts = { count: 1, isAtLeast: false, of: null, limit: 15, worst };
  const row = {
    id: 'alert',
    rule: 'broken_for',
    subject: '',
    since: 1,
    opened_at: 2,
    clear_since: null,
    recovered_at: null,
    facts: JSON.stringify(facts),
    peak: 1,
  } as Parameters<typeof alertOf>[0];

  expect(alertOf(row).facts.worst).toEqual([{ ...worst[0], count: null }]);
});
