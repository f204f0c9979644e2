import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture, installationFixture, uninstalledFixture } from '../testing/fixtures.ts';
import { holdAnswers } from '../testing/hold-answers.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const paused = detailFixture({
  installation: installationFixture({ state: 'paused', condition: 'paused' }),
});

/** Opens the dialog to pause. @returns the back end and the dialog. */
async function openPause() {
  const bff = createFakeBff({ details: [detailFixture()] });
  renderAdmin(bff, '/installations/acme');
  await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
  return { bff, dialog: within(await screen.findByRole('dialog', { name: 'Pause' })) };
}

const untilClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

describe('the focus', () => {
  it('is again on the button that opened a dialog when the dialog is closed', async () => {
    await openPause();

    await userEvent.keyboard('{Escape}');
    await untilClosed();

    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Pause' }));
  });

  it('is on Close with the result, then on the page if the button that opened it is gone', async () => {
    const { bff, dialog } = await openPause();
    bff.details = [paused];
    await userEvent.type(dialog.getByLabelText('Reason'), 'moving{Enter}');

    const close = await dialog.findByRole('button', { name: 'Close', description: /^Paused:/ });
    expect(document.activeElement).toBe(close);
    await screen.findByRole('button', { name: 'Resume' });
    await userEvent.keyboard('{Enter}');
    await untilClosed();

    expect(document.activeElement).toBe(screen.getByRole('main'));
  });

  it('is on the button again after it has failed', async () => {
    const { bff, dialog } = await openPause();
    bff.undone = { code: 'ACTION_REFUSED', refusal: 'busy' };
    const button = dialog.getByRole('button', { name: 'Pause' });
    const answer = holdAnswers(bff, '/actions/pause');
    await userEvent.type(dialog.getByLabelText('Reason'), 'moving');

    await userEvent.click(button);
    // A browser takes the focus from a button that becomes disabled.
    act(() => button.blur());
    answer();
    await dialog.findByRole('alert');

    expect(document.activeElement).toBe(button);
  });
});

describe('a dialog whose action is under way', () => {
  it('stays until its end, so that the result is seen', async () => {
    const { bff, dialog } = await openPause();
    const answer = holdAnswers(bff, '/actions/pause');
    await userEvent.type(dialog.getByLabelText('Reason'), 'moving{Enter}');
    await dialog.findByText(/^Sent\. If you close this, it goes on/);

    await userEvent.keyboard('{Escape}');
    expect(screen.getByRole('dialog', { name: 'Pause' })).toBeDefined();
    answer();

    expect((await dialog.findByRole('status')).textContent).toMatch(/^Paused:/);
  });

  it('can be closed, and a purge then leaves the operator where they went', async () => {
    const installation = uninstalledFixture();
    const bff = createFakeBff({ details: [detailFixture({ installation, token: null })] });
    renderAdmin(bff, '/installations/wonka');
    await userEvent.click(await screen.findByRole('button', { name: 'Purge now' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Purge now' }));
    const answer = holdAnswers(bff, '/actions/purge');
    await userEvent.type(dialog.getByLabelText('Type the name to confirm'), 'wonka.example.com');
    await userEvent.type(dialog.getByLabelText('Reason'), 'contract ended{Enter}');
    await userEvent.click(await dialog.findByRole('button', { name: 'Close' }));
    await untilClosed();
    await userEvent.keyboard('ga');
    await screen.findByRole('heading', { name: 'Audit' });
    const { length } = bff.requests;

    answer();
    // It reads the counts again at its end.
    await waitFor(() => expect(bff.requests.length).toBeGreaterThan(length));

    expect(window.location.pathname).toBe('/admin/audit');
  });
});
