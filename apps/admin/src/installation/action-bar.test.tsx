import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  installationFixture,
  serverNow,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const sentTo = (bff: FakeBff, path: string) =>
  bff.requests.find(({ url }) => url.endsWith(path))?.json();

const broken = detailFixture({ installation: brokenFixture() });

describe('the actions on an installation', () => {
  it('are done after a confirmation with a reason of three letters', async () => {
    const bff = createFakeBff({ details: [broken] });
    renderAdmin(bff, '/installations/hooli');
    await userEvent.click(await screen.findByRole('button', { name: 'Ask for a new event' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Ask for a new event' }));
    const confirm = dialog.getByRole('button', { name: 'Ask for a new event' });

    await userEvent.type(dialog.getByLabelText('Reason'), '12');
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.type(dialog.getByLabelText('Reason'), ' scope is back');
    await userEvent.click(confirm);

    expect(
      await dialog.findByText('The platform accepted the request. Its event may come at any time.'),
    ).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/installations/hooli/actions/ask'));
    expect(await sent?.json()).toEqual({ reason: '12 scope is back' });
  });

  it('offer to end an address whose tenant has a newer one, and link to that', async () => {
    const otherAddress = { id: 'acme', host: 'acme.example.com', isNewer: true };
    const installation = brokenFixture({ state: 'paused', condition: 'paused', otherAddress });
    const detail = detailFixture({ installation, pause: { at: serverNow, by: '', reason: '' } });
    const bff = createFakeBff({ details: [detail] });
    renderAdmin(bff, '/installations/hooli');
    const link = await screen.findByRole('link', { name: 'acme.example.com' });
    expect(link.getAttribute('href')).toMatch(/\/installations\/acme$/);
    expect(screen.getByText(/It rests: its access has ended/)).toBeDefined();
    expect(screen.queryByText(/An operator paused it/)).toBeNull();

    await userEvent.click(screen.getByRole('button', { name: 'End' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'End' }));
    await userEvent.type(dialog.getByLabelText('Reason'), 'moved{Enter}');

    await dialog.findByText('Ended: its tokens, its secrets and its sessions are deleted.');
    expect(await sentTo(bff, '/installations/hooli/actions/end')).toEqual({ reason: 'moved' });
  });

  it('offer no end for the newer address', async () => {
    const otherAddress = { id: 'old', host: 'old.example.com', isNewer: false };
    const detail = detailFixture({ installation: installationFixture({ otherAddress }) });
    renderAdmin(createFakeBff({ details: [detail] }), '/installations/acme');

    await screen.findByText(/This is the newer one; the older one is old\.example\.com/);
    expect(screen.queryByRole('button', { name: 'End' })).toBeNull();
  });

  it('stay for a viewer, and say why they cannot be done', async () => {
    const bff = createFakeBff({ details: [broken], role: 'viewer' });
    renderAdmin(bff, '/installations/hooli');
    const button = await screen.findByRole('button', {
      name: 'Ask for a new event',
      description: /Viewers cannot do this/,
    });

    await userEvent.click(button);

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('say what went wrong', async () => {
    const undone = { code: 'ACTION_REFUSED', refusal: 'busy' } as const;
    renderAdmin(createFakeBff({ details: [broken], undone }), '/installations/hooli');
    await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
    const dialog = within(await screen.findByRole('dialog'));

    await userEvent.type(dialog.getByLabelText('Reason'), 'moving{Enter}');

    expect((await dialog.findByRole('alert')).textContent).toContain(
      'Too many requests wait for this platform.',
    );
  });

  it('end the sessions of a living one', async () => {
    const bff = createFakeBff({ details: [detailFixture()] });
    renderAdmin(bff, '/installations/acme');
    await userEvent.click(await screen.findByRole('button', { name: 'End sessions' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'End sessions' }));

    await userEvent.type(dialog.getByLabelText('Reason'), 'lost laptop{Enter}');

    await dialog.findByText('Ended 3 sessions.');
    expect(await sentTo(bff, '/actions/end-sessions')).toEqual({ reason: 'lost laptop' });
  });

  it('mark a refused install as seen', async () => {
    const installation = uninstalledFixture({ state: 'install_refused', condition: 'refused' });
    const bff = createFakeBff({ details: [detailFixture({ installation })] });
    renderAdmin(bff, '/installations/wonka');
    await userEvent.click(await screen.findByRole('button', { name: 'Mark as seen' }));
    const dialog = within(await screen.findByRole('dialog'));

    await userEvent.type(dialog.getByLabelText('Reason'), 'known test{Enter}');

    await dialog.findByText('Marked as seen.');
    expect(await sentTo(bff, '/actions/acknowledge')).toEqual({ reason: 'known test' });
  });
});

describe('an uninstalled installation', () => {
  const gone = detailFixture({ installation: uninstalledFixture(), token: null });

  it('is kept until the end of a chosen day, at most a year ahead', async () => {
    const bff = createFakeBff({ details: [gone] });
    renderAdmin(bff, '/installations/wonka');
    await userEvent.click(await screen.findByRole('button', { name: 'Keep the record longer' }));
    const dialog = within(await screen.findByRole('dialog'));
    const day = dialog.getByLabelText('Keep until');
    await userEvent.type(dialog.getByLabelText('Reason'), 'dispute');

    fireEvent.change(day, { target: { value: '2035-01-01' } });
    const confirm = dialog.getByRole('button', { name: 'Keep the record longer' });
    expect(confirm).toHaveProperty('disabled', true);
    fireEvent.change(day, { target: { value: '2033-12-24' } });
    await userEvent.click(confirm);

    await dialog.findByText('The record is kept until the chosen day.');
    const until = new Date(2033, 11, 24, 23, 59, 59).getTime();
    expect(until).toBeGreaterThan(serverNow);
    expect(await sentTo(bff, '/actions/keep')).toEqual({ reason: 'dispute', until });
  });

  it('is kept until a later day than without it', async () => {
    const purgedAt = new Date(2033, 8, 1, 12).getTime();
    renderAdmin(createFakeBff({ details: [{ ...gone, purgedAt }] }), '/installations/wonka');
    await userEvent.click(await screen.findByRole('button', { name: 'Keep the record longer' }));
    const dialog = within(await screen.findByRole('dialog'));
    const day = dialog.getByLabelText('Keep until');
    await userEvent.type(dialog.getByLabelText('Reason'), 'dispute');
    expect(day).toHaveProperty('value', '2033-09-02');

    fireEvent.change(day, { target: { value: '2033-08-31' } });

    expect(day).toHaveProperty('min', '2033-09-01');
    const confirm = dialog.getByRole('button', { name: 'Keep the record longer' });
    expect(confirm).toHaveProperty('disabled', true);
  });

  it('is purged once its name is typed, and the list is shown', async () => {
    const bff = createFakeBff({ details: [gone] });
    renderAdmin(bff, '/installations/wonka');
    await userEvent.click(await screen.findByRole('button', { name: 'Purge now' }));
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.type(dialog.getByLabelText('Reason'), 'contract ended');
    const confirm = dialog.getByRole('button', { name: 'Purge now' });

    await userEvent.type(dialog.getByLabelText('Type the name to confirm'), 'wonka');
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.type(dialog.getByLabelText('Type the name to confirm'), '.example.com');
    await userEvent.click(confirm);

    expect(await screen.findByRole('heading', { name: 'Installations' })).toBeDefined();
    expect(await sentTo(bff, '/actions/purge')).toEqual({
      name: 'wonka.example.com',
      reason: 'contract ended',
    });
  });

  it('is purged by owners only', async () => {
    renderAdmin(createFakeBff({ details: [gone], role: 'operator' }), '/installations/wonka');
    const button = await screen.findByRole('button', { name: 'Purge now' });

    await userEvent.click(button);

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(await screen.findByText('Only owners can do this.')).toBeDefined();
  });
});

describe('name and notes', () => {
  it('are changed with a reason', async () => {
    const bff = createFakeBff({ details: [detailFixture({ notes: 'Contract ends in March' })] });
    renderAdmin(bff, '/installations/acme');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit name and notes' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Change name and notes' }));

    await userEvent.type(dialog.getByLabelText('Name'), 'Acme ');
    await userEvent.clear(dialog.getByLabelText('Notes'));
    await userEvent.type(dialog.getByLabelText('Reason'), 'contract renewed{Enter}');

    await dialog.findByText('Name and notes are stored.');
    expect(await sentTo(bff, '/actions/name')).toEqual({
      name: 'Acme',
      notes: '',
      reason: 'contract renewed',
    });
  });

  it('are sent only where they were changed, so that notes of somebody else stay', async () => {
    const bff = createFakeBff({
      installations: [installationFixture()],
      details: [detailFixture({ notes: 'Old notes' })],
    });
    const { changes } = renderAdmin(bff, '/installations/acme');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit name and notes' }));
    const dialog = within(await screen.findByRole('dialog'));
    bff.details = [detailFixture({ notes: 'Call Ms Roth first' })];
    act(() => changes.announce('acme'));
    await screen.findByText('Call Ms Roth first');

    await userEvent.type(dialog.getByLabelText('Name'), 'Acme');
    expect(dialog.getByText("dowel name acme --name Acme --reason '…'")).toBeDefined();
    await userEvent.type(dialog.getByLabelText('Reason'), 'contract renewed{Enter}');

    await dialog.findByText('Name and notes are stored.');
    expect(await sentTo(bff, '/actions/name')).toEqual({
      name: 'Acme',
      reason: 'contract renewed',
    });
  });
});
