import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { serverNow, sessionFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const accounts = [
  { name: 'ada', role: 'owner', createdAt: serverNow },
  { name: 'grace', role: 'viewer', createdAt: serverNow },
] as const;
const current = { ...sessionFixture, id: 'this', createdAt: serverNow, isCurrent: true };
const other = { ...current, id: 'other', name: 'grace', isCurrent: false };

const rowsOf = (name: string) =>
  within(screen.getByRole('table', { name }))
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);

async function giveReason(): Promise<void> {
  const dialog = within(screen.getByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Reason'), 'another team{Enter}');
  await userEvent.click(await dialog.findByRole('button', { name: 'Close' }));
}

describe('people and sessions', () => {
  it('lets an owner change a role, with a reason', async () => {
    const bff = createFakeBff({ accounts: [...accounts] });
    renderAdmin(bff, '/people');
    await userEvent.click(await screen.findByRole('button', { name: 'Change role: grace' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Change role' }));
    const confirm = dialog.getByRole('button', { name: 'Change role' });

    await userEvent.type(dialog.getByLabelText('Reason'), 'another team');
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.selectOptions(dialog.getByLabelText('Role'), 'Operator');
    await userEvent.click(confirm);

    expect(await dialog.findByText('Done: Change role')).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/accounts/grace/role'));
    expect(await sent?.json()).toEqual({ role: 'operator', reason: 'another team' });
    expect(rowsOf('Accounts')[1]).toContain('graceOperator');
  });

  it('lets an owner remove an account, and shows the list without it', async () => {
    renderAdmin(createFakeBff({ accounts: [...accounts] }), '/people');
    await userEvent.click(await screen.findByRole('button', { name: 'Remove: grace' }));

    await giveReason();

    expect(rowsOf('Accounts')).toHaveLength(1);
  });

  it('does not let an owner remove the own account, and says why', async () => {
    const bff = createFakeBff({ accounts: [...accounts], method: 'password' });
    renderAdmin(bff, '/people');
    const button = await screen.findByRole('button', {
      name: 'Remove: ada',
      description: /Another owner must do this/,
    });

    await userEvent.click(button);

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('lets an owner erase a user in one tenant, and says from how many rows', async () => {
    const bff = createFakeBff();
    renderAdmin(bff, '/people');
    await userEvent.click(await screen.findByRole('button', { name: 'Erase a user' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Erase a user' }));
    const confirm = dialog.getByRole('button', { name: 'Erase a user' });
    const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';

    await userEvent.type(dialog.getByLabelText('Reason'), 'asked by the person');
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.type(dialog.getByLabelText('User id'), ' user-1 ');
    await userEvent.type(dialog.getByLabelText('Tenant id'), 'acme');
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.clear(dialog.getByLabelText('Tenant id'));
    await userEvent.type(dialog.getByLabelText('Tenant id'), tenantId);
    await userEvent.click(confirm);

    expect(await dialog.findByText('Erased from 2 rows.')).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/users/erase'));
    expect(await sent?.json()).toEqual({
      userId: 'user-1',
      tenantId,
      reason: 'asked by the person',
    });
  });

  it('shows everybody the own sessions, and ends another one', async () => {
    const bff = createFakeBff({ role: 'viewer', sessions: [current, { ...other, name: 'ada' }] });
    renderAdmin(bff, '/people');
    expect(await screen.findByText('Owners see all accounts here and change roles.')).toBeDefined();

    await userEvent.click(await screen.findByRole('button', { name: /^End: session of ada/ }));
    expect(bff.sessions).toHaveLength(2);
    await giveReason();

    const sent = bff.requests.find(({ url }) => url.endsWith('/sessions/other/end'));
    expect(await sent?.json()).toEqual({ reason: 'another team' });
    expect(await screen.findByText('This session')).toBeDefined();
    await expect.poll(() => rowsOf('Your sessions')).toHaveLength(1);
    expect(bff.requests.some(({ url }) => url.endsWith('/accounts'))).toBe(false);
    expect(screen.queryByRole('button', { name: 'Erase a user' })).toBeNull();
  });

  it('shows an owner the sessions of all', async () => {
    renderAdmin(createFakeBff({ sessions: [current, other] }), '/people');

    await screen.findByRole('table', { name: 'All sessions' });

    expect(rowsOf('All sessions')).toEqual([
      expect.stringContaining('ada This session'),
      expect.stringContaining('grace'),
    ]);
  });
});
