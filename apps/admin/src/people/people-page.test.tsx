import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { serverNow, sessionFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const ready = { createdAt: serverNow, hasPassword: true, linkExpiresAt: null };
const accounts = [
  { name: 'ada', role: 'owner', ...ready },
  { name: 'grace', role: 'viewer', ...ready },
] as const;
const current = {
  ...sessionFixture,
  id: 'this',
  createdAt: serverNow,
  lastUsedAt: serverNow,
  address: '192.0.2.7',
  browser: 'Firefox',
  system: 'Linux',
  isOwn: true,
  isCurrent: true,
};
const other = { ...current, id: 'other', name: 'grace', isOwn: false, isCurrent: false };

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

  it('lets an owner add an account, and shows the link for its person', async () => {
    const bff = createFakeBff();
    renderAdmin(bff, '/people');
    await userEvent.click(await screen.findByRole('button', { name: 'Add account' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add account' }));
    const confirm = dialog.getByRole('button', { name: 'Add account' });

    await userEvent.type(dialog.getByLabelText('Reason'), 'a new colleague');
    await userEvent.type(dialog.getByLabelText('Name'), 'a b');
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.clear(dialog.getByLabelText('Name'));
    await userEvent.type(dialog.getByLabelText('Name'), 'Grace@example.com');
    await userEvent.selectOptions(dialog.getByLabelText('Role'), 'Operator');
    await userEvent.click(confirm);

    expect(await dialog.findByText('https://dowel.example/admin/password#code=once')).toBeDefined();
    expect(dialog.getByText(/Send this link to grace@example\.com/)).toBeDefined();
    const sent = bff.requests.find(
      ({ method, url }) => method === 'POST' && url.endsWith('/accounts'),
    );
    const reason = 'a new colleague';
    expect(await sent?.json()).toEqual({ name: 'grace@example.com', role: 'operator', reason });
  });

  it('lets an owner make a link for a new password', async () => {
    const bff = createFakeBff({ accounts: [...accounts] });
    renderAdmin(bff, '/people');
    await userEvent.click(await screen.findByRole('button', { name: 'New password: grace' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Create link' }));

    await userEvent.type(dialog.getByLabelText('Reason'), 'it was forgotten{Enter}');

    expect(await dialog.findByText('https://dowel.example/admin/password#code=once')).toBeDefined();
    expect(bff.requests.some(({ url }) => url.endsWith('/grace/password-link'))).toBe(true);
  });

  it('shows which accounts have a password, and which links are open', async () => {
    const [ada] = accounts;
    const linkExpiresAt = Date.now() + 60_000;
    const bff = createFakeBff({
      accounts: [
        ada,
        { ...ada, name: 'eve', hasPassword: false, linkExpiresAt },
        { ...ada, name: 'joan', hasPassword: false, linkExpiresAt: 1 },
      ],
    });
    renderAdmin(bff, '/people');
    await screen.findByRole('table', { name: 'Accounts' });

    expect(rowsOf('Accounts')).toEqual([
      expect.stringContaining('Set'),
      expect.stringMatching(/Link until/),
      expect.stringContaining('Link expired'),
    ]);
  });

  it.each([
    [false, 'There is no account. Owners sign in with one-time codes.'],
    [true, /^There is no account\. People sign in with single sign-on/],
  ])('says how people sign in; with an identity provider: %s', async (hasProvider, sentence) => {
    renderAdmin(createFakeBff({ hasProvider }), '/people');

    expect(await screen.findByText(sentence)).toBeDefined();
  });

  it.each([false, true])(
    'says at a removal what it does not end, with an identity provider: %s',
    async (hasProvider) => {
      renderAdmin(createFakeBff({ accounts: [...accounts], hasProvider }), '/people');

      await userEvent.click(await screen.findByRole('button', { name: 'Remove: grace' }));

      const dialog = within(await screen.findByRole('dialog'));
      const isSaid = dialog.queryByText(/Single sign-on is not affected/) !== null;
      expect(isSaid).toBe(hasProvider);
    },
  );

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
    const bff = createFakeBff({
      role: 'viewer',
      sessions: [current, { ...other, name: 'ada', isOwn: true }],
    });
    renderAdmin(bff, '/people');
    expect(await screen.findByText('Owners manage the accounts here.')).toBeDefined();

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

  it('shows device and address of each session', async () => {
    const unknown = { ...other, browser: null, system: null };
    const older = { ...unknown, id: 'older', address: null };
    renderAdmin(createFakeBff({ sessions: [current, unknown, older] }), '/people');
    await screen.findByRole('table', { name: 'All sessions' });

    expect(rowsOf('All sessions')).toEqual([
      expect.stringContaining('Firefox on Linux192.0.2.7'),
      expect.stringContaining('Other browser192.0.2.7'),
      expect.stringContaining('–'),
    ]);
  });

  it('ends all other sessions of the reader, and none of others', async () => {
    const own = { ...other, name: 'ada', isOwn: true };
    const sessions = [current, { ...own, id: 'one' }, { ...own, id: 'two' }, other];
    const bff = createFakeBff({ sessions });
    renderAdmin(bff, '/people');

    await userEvent.click(await screen.findByRole('button', { name: 'End my other sessions' }));
    await giveReason();

    expect(bff.sessions.map(({ id }) => id)).toEqual(['this', 'other']);
    await expect.poll(() => rowsOf('All sessions')).toHaveLength(2);
    expect(screen.queryByRole('button', { name: 'End my other sessions' })).toBeNull();
  });
});

describe('the own password', () => {
  const present = 'correct horse battery';
  const next = 'another few words';

  async function openDialog() {
    const [button] = await screen.findAllByRole('button', { name: 'Change password' });
    if (button) await userEvent.click(button);
    const dialog = within(await screen.findByRole('dialog', { name: 'Change password' }));
    const fill = async (name: string, text: string) => {
      await userEvent.clear(dialog.getByLabelText(name));
      if (text !== '') await userEvent.type(dialog.getByLabelText(name), text);
    };
    const submit = () => userEvent.click(dialog.getByRole('button', { name: 'Change password' }));
    return { dialog, fill, submit };
  }

  it('is changed with the present one', async () => {
    const bff = createFakeBff({ method: 'password', password: present, role: 'viewer' });
    renderAdmin(bff, '/people');
    const { dialog, fill, submit } = await openDialog();

    await fill('Present password', present);
    await fill('New password', next);
    await fill('New password again', next);
    await submit();

    expect(await dialog.findByText(/Your password is changed/)).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/account/password'));
    expect(await sent?.json()).toEqual({ password: present, newPassword: next });
  });

  it('is not sent while it is short, or was typed differently', async () => {
    const bff = createFakeBff({ method: 'password', password: present });
    renderAdmin(bff, '/people');
    const { dialog, fill, submit } = await openDialog();
    await fill('Present password', present);
    await fill('New password', 'short');
    await fill('New password again', 'short');
    await submit();
    expect(await dialog.findByText('It needs at least 12 characters.')).toBeDefined();

    await fill('New password', next);
    await submit();

    expect(await dialog.findByText('The two passwords differ.')).toBeDefined();
    expect(bff.requests.some(({ url }) => url.endsWith('/account/password'))).toBe(false);
  });

  it('stays when the present one is wrong, and so does the session', async () => {
    renderAdmin(createFakeBff({ method: 'password', password: present }), '/people');
    const { dialog, fill, submit } = await openDialog();
    await fill('Present password', 'a guess');
    await fill('New password', next);
    await fill('New password again', next);

    await submit();

    const alert = await dialog.findByRole('alert');
    expect(alert.textContent).toContain('This is not your present password.');
  });

  it.each(['code', 'oidc'] as const)('cannot be changed after a sign-in by %s', async (method) => {
    renderAdmin(createFakeBff({ method }), '/people');

    await screen.findByRole('heading', { name: 'People and sessions' });
    expect(screen.queryByRole('button', { name: 'Change password' })).toBeNull();
  });
});
