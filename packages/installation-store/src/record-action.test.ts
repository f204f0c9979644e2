import { expect, test } from 'vitest';
import type { AuditEnding } from './operators/audit-store.ts';
import { recordAction } from './record-action.ts';

function createAudit() {
  const endings: AuditEnding[] = [];
  return {
    endings,
    begin: async () => 1,
    end: async (_id: number, ending: AuditEnding) => void endings.push(ending),
  };
}

const entry = { who: 'ada', role: 'owner', way: 'cli', from: null, action: 'change-role' } as const;

test.each([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
] as const)('an action that %s has failed in the audit', async (_how, act) => {
  const audit = createAudit();

  await expect(recordAction(audit, { entry, act })).rejects.toThrow('no');

  expect(audit.endings).toMatchObject([{ result: 'failed' }]);
});
