import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

it('says who did what, on what, why, from where and with what result', async () => {
  const entry = {
    id: 1,
    at: serverNow,
    who: 'day.desk',
    role: 'operator' as const,
    way: 'page' as const,
    from: '203.0.113.80',
    action: 'ask',
    installationId: 'acme',
    target: 'acme.example.com',
    reason: 'Scope is back',
    result: 'failed' as const,
    detail: 'No answer.',
    runId: null,
  };
  renderAdmin(createFakeBff({ audit: [entry] }), '/audit');

  const table = within(await screen.findByRole('table', { name: 'Audit' }));
  const cells = table.getAllByRole('cell').map(({ textContent }) => textContent);

  expect(cells.slice(1)).toEqual([
    'day.deskOperator',
    'ask',
    'acme.example.com',
    'Scope is back',
    'Dashboard203.0.113.80',
    'Failed',
  ]);
});
