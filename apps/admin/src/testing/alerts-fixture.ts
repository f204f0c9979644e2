import type { Alert, Alerts } from '@dowel/admin-api';
import { serverNow } from './fixtures.ts';

const minute = 60_000;

export function alertFixture(changes: Partial<Alert> = {}): Alert {
  return {
    id: 'alert-1',
    rule: 'broken_for',
    subject: '',
    since: serverNow - 42 * minute,
    openedAt: serverNow - 27 * minute,
    clearSince: null,
    recoveredAt: null,
    facts: {
      count: 3,
      isAtLeast: false,
      of: null,
      limit: 15,
      worst: [
        {
          installationId: 'acme',
          name: 'acme.example.com',
          detail: 'invalid_grant',
          count: null,
          since: serverNow - 42 * minute,
        },
      ],
    },
    peak: 4,
    ...changes,
  };
}

export function alertsFixture(changes: Partial<Alerts> = {}): Alerts {
  return {
    now: serverNow,
    rules: [{ rule: 'broken_for', limit: 15 }],
    open: [],
    recent: [],
    channels: [
      { channel: 'webhook', target: null, last: null, waiting: 0 },
      { channel: 'mail', target: null, last: null, waiting: 0 },
    ],
    ...changes,
  };
}
