import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { accepted } from '../fixtures.ts';
import { renderPage } from '../test-page.tsx';
import { ExchangeList } from './exchange-list.tsx';

const request = { ...accepted, event: null, direction: 'in' } as const;

const readRows = () => {
  const [, ...rows] = screen.getAllByRole('row');
  return rows.map((row) => {
    const [what, , status, ...rest] = within(row).getAllByRole('cell');
    return [what, status, ...rest].map((cell) => cell?.textContent?.trim());
  });
};

it('lists events, token requests and calls together, newest first', () => {
  const exchanges: ExchangeSummary[] = [
    accepted,
    { ...request, id: 2, kind: 'code', status: 200 },
    {
      ...request,
      id: 3,
      kind: 'refresh',
      status: 400,
      error: { code: 'invalid_grant', message: 'Spent' },
    },
    {
      ...request,
      id: 4,
      kind: 'refresh',
      status: null,
      answeredAt: null,
      fault: 'token.lostAnswer',
    },
    { ...request, id: 5, kind: 'api', status: 201 },
    {
      ...accepted,
      id: 6,
      status: null,
      answeredAt: null,
      error: { code: 'NO_RESPONSE', message: 'Too late' },
    },
  ];

  renderPage(<ExchangeList title="Requests" exchanges={exchanges} />);

  expect(readRows()).toEqual([
    ['install', 'no answer', '', 'Too late (NO_RESPONSE)'],
    ['API call', '201 answered', '12 ms', ''],
    ['Refresh', 'no answer yet', '', 'token.lostAnswer'],
    ['Refresh', '400 refused', '12 ms', 'Spent (invalid_grant)'],
    ['Code exchange', '200 issued', '12 ms', ''],
    ['install', '201 accepted', '12 ms', ''],
  ]);
  expect(screen.getByRole('link', { name: 'API call' }).getAttribute('href')).toBe('#/plugins/5');
});

it('shows the newest ten until the older ones are asked for', async () => {
  const exchanges = Array.from({ length: 12 }, (_, index) => ({ ...accepted, id: index + 1 }));
  renderPage(<ExchangeList title="Requests" exchanges={exchanges} />);
  expect(readRows()).toHaveLength(10);

  await userEvent.click(screen.getByRole('button', { name: 'Show 2 older' }));

  expect(readRows()).toHaveLength(12);
});
