import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  hookFixture,
  installationFixture,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

/** Opens the dialog of a button, and types the reason. @returns the command that the dialog shows. */
async function readCommand(button: RegExp, reason: string): Promise<string> {
  await userEvent.click(await screen.findByRole('button', { name: button }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Reason'), reason);
  return dialog.getByText(/^dowel /).textContent;
}

describe('the command that does the same as a dialog', () => {
  it('has the reason as a shell reads it', async () => {
    const details = [detailFixture({ installation: brokenFixture() })];
    renderAdmin(createFakeBff({ details }), '/installations/hooli');

    expect(await readCommand(/^Ask for a new event/, "it's back")).toBe(
      String.raw`dowel ask hooli --reason 'it'\''s back'`,
    );
    expect(screen.getByText(/about 30 s at most/)).toBeDefined();
  });

  it('keeps a record until the same second', async () => {
    const details = [detailFixture({ installation: uninstalledFixture(), token: null })];
    renderAdmin(createFakeBff({ details }), '/installations/wonka');

    const until = new Date(2033, 7, 16, 23, 59, 59).toISOString();
    expect(await readCommand(/^Keep the record longer/, 'dispute')).toBe(
      `dowel keep wonka --until ${until} --reason dispute`,
    );
  });

  it('names the delivery of a hook', async () => {
    renderAdmin(createFakeBff({ hooks: [hookFixture()] }), '/hooks');

    expect(await readCommand(/^Replay: installed/, 'fixed')).toBe(
      "dowel replay-hook acme --hook 'acme 2 1' --reason fixed",
    );
  });
});

describe('the dialog of a run', () => {
  it('says who is left out and why, how long it takes, and the command for one', async () => {
    const installations = Array.from({ length: 7 }, (_, index) =>
      installationFixture({ id: `id-${index}` }),
    );
    renderAdmin(createFakeBff({ installations }), '/installations');
    await userEvent.click(await screen.findByRole('button', { name: 'Act on all that match' }));
    const dialog = within(await screen.findByRole('dialog'));

    await userEvent.selectOptions(dialog.getByLabelText('Action'), 'Refresh now');

    expect(dialog.getByText(/uninstalled or paused, or that have no refresh token/)).toBeDefined();
    expect(dialog.getByText(/It takes about 4 s if the platform answers/)).toBeDefined();
    expect(dialog.getByText(/dowel refresh ID --reason "…"/)).toBeDefined();
    await userEvent.selectOptions(dialog.getByLabelText('Action'), 'Resume');
    expect(dialog.getByText(/those that are not paused\. It takes about 1 s\./)).toBeDefined();
  });
});
