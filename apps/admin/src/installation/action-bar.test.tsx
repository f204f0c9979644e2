import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, detailFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

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

    expect(await dialog.findByText('It was done.')).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/installations/hooli/actions/ask'));
    expect(await sent?.json()).toEqual({ reason: '12 scope is back' });
  });

  it('stay for a viewer, and say why they cannot be done', async () => {
    const bff = createFakeBff({ details: [broken], role: 'viewer' });
    renderAdmin(bff, '/installations/hooli');
    const button = await screen.findByRole('button', { name: 'Ask for a new event' });

    await userEvent.click(button);

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(await screen.findByText(/Viewers cannot do this/)).toBeDefined();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('say what went wrong', async () => {
    renderAdmin(createFakeBff({ details: [broken], refusesActions: true }), '/installations/hooli');
    await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
    const dialog = within(await screen.findByRole('dialog'));

    await userEvent.type(dialog.getByLabelText('Reason'), 'moving{Enter}');

    expect((await dialog.findByRole('alert')).textContent).toContain('ACTION_REFUSED');
  });
});
