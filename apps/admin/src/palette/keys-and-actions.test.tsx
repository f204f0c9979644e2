import { spotlight } from '@mantine/spotlight';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { places } from '../shared/places.ts';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  installationFixture,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const broken = detailFixture({ installation: brokenFixture() });

/** The page of the broken installation, once it is loaded. */
async function showBroken(state: Parameters<typeof createFakeBff>[0] = {}) {
  const bff = createFakeBff({ details: [broken], ...state });
  renderAdmin(bff, '/installations/hooli');
  await screen.findByRole('button', { name: 'Ask for a new event' });
  await untilKeysAreHeard();
  return bff;
}

/** The page registers its keys in effects, which may run some time after the page is shown. */
const untilKeysAreHeard = () => act(async () => {});

async function openPalette() {
  await userEvent.keyboard('{Control>}k{/Control}');
  return within(await screen.findByRole('dialog', { name: 'Find a tenant, id or page' }));
}

afterEach(() => {
  localStorage.clear();
  // The state of the palette is global to its module.
  spotlight.close();
});

describe('the keys of the actions', () => {
  it.each([
    ['e', 'Ask for a new event'],
    ['r', 'Refresh now'],
    ['t', 'Test the connection'],
    ['p', 'Pause'],
  ])('%s opens on the page of an installation: %s', async (letter, name) => {
    await showBroken();

    await userEvent.keyboard(letter);

    expect(await screen.findByRole('dialog', { name })).toBeDefined();
  });

  it('resume what is paused', async () => {
    const paused = installationFixture({ id: 'hooli', state: 'paused', condition: 'paused' });
    renderAdmin(
      createFakeBff({ details: [detailFixture({ installation: paused })] }),
      '/installations/hooli',
    );
    await screen.findByRole('button', { name: 'Resume' });
    await untilKeysAreHeard();

    await userEvent.keyboard('p');

    expect(await screen.findByRole('dialog', { name: 'Resume' })).toBeDefined();
  });

  it('are silent while a dialog is open, also before it has the focus', async () => {
    await showBroken();
    await userEvent.keyboard('e');
    await screen.findByRole('dialog', { name: 'Ask for a new event' });

    fireEvent.keyDown(document.body, { key: 'r' });

    expect(screen.getByRole('dialog').getAttribute('aria-modal')).toBe('true');
    expect(screen.queryByRole('dialog', { name: 'Refresh now' })).toBeNull();
  });

  it('say to a viewer why they do nothing', async () => {
    await showBroken({ role: 'viewer' });

    await userEvent.keyboard('e');

    const focused = screen.getByRole('button', {
      name: 'Ask for a new event',
      description: /Viewers cannot do this/,
    });
    expect(document.activeElement).toBe(focused);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('are silent once single letters are switched off', async () => {
    await showBroken();
    await userEvent.keyboard('?');
    await userEvent.click(await screen.findByLabelText('Single letters act as keys'));
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));

    await userEvent.keyboard('e');

    expect(screen.queryByRole('dialog', { name: 'Ask for a new event' })).toBeNull();
  });

  it('act in the list on the row with the frame, then on the selection', async () => {
    const acme = installationFixture({ state: 'paused', condition: 'paused' });
    const bff = createFakeBff({ installations: [brokenFixture(), acme] });
    renderAdmin(bff, '/installations');
    await screen.findByText('hooli.example.com');
    await untilKeysAreHeard();

    await userEvent.keyboard('e');
    expect(screen.queryByRole('dialog')).toBeNull();
    await userEvent.keyboard('jjp');
    const one = await screen.findByRole('dialog', { name: 'Resume: 1 installation' });
    expect(within(one).getByText('acme.example.com')).toBeDefined();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

    await userEvent.keyboard('xkxr');
    const dialog = within(
      await screen.findByRole('dialog', { name: 'Refresh now: 2 installations' }),
    );
    await userEvent.type(dialog.getByLabelText('Reason'), 'moved');
    await userEvent.click(dialog.getByRole('button', { name: 'Refresh now: 2 installations' }));

    await waitFor(() => expect(bff.runs[0]).toMatchObject({ action: 'refresh', total: 2 }));
  });

  it('act in the list on no row once another filter is chosen', async () => {
    const bff = createFakeBff({ installations: [brokenFixture(), installationFixture()] });
    renderAdmin(bff, '/installations?group=broken');
    await screen.findByText('hooli.example.com');
    await untilKeysAreHeard();
    await userEvent.keyboard('j');

    await userEvent.click(screen.getByRole('link', { name: /^Working/ }));
    await screen.findByText('acme.example.com');
    await userEvent.keyboard('p');

    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('say in the list to a viewer why they do nothing', async () => {
    renderAdmin(
      createFakeBff({ installations: [brokenFixture()], role: 'viewer' }),
      '/installations',
    );
    await screen.findByText('hooli.example.com');
    await untilKeysAreHeard();

    await userEvent.keyboard('jt');

    const dialog = within(await screen.findByRole('dialog', { name: 'Test the connection' }));
    expect(dialog.getByRole('status').textContent).toMatch(/Viewers cannot do this/);
  });

  it('go to the neighbours in the list that was shown', async () => {
    const acme = installationFixture();
    const bff = createFakeBff({
      installations: [brokenFixture(), acme],
      details: [broken, detailFixture({ installation: acme })],
    });
    renderAdmin(bff, '/installations');
    await screen.findByText('hooli.example.com');
    await untilKeysAreHeard();
    await userEvent.keyboard('j{Enter}');
    await screen.findByRole('heading', { name: 'hooli.example.com' });

    await userEvent.keyboard('[[');
    expect(window.location.pathname).toBe('/admin/installations/hooli');
    await userEvent.keyboard('{]}');

    expect(await screen.findByRole('heading', { name: 'acme.example.com' })).toBeDefined();
  });

  it('go back to the list with its filter and order, as the link above an installation', async () => {
    renderAdmin(
      createFakeBff({ installations: [brokenFixture()], details: [broken] }),
      '/installations?group=broken&sort=host',
    );
    const open = async () => {
      await userEvent.click(await screen.findByRole('link', { name: 'hooli.example.com' }));
      await screen.findByRole('heading', { name: 'hooli.example.com' });
      await untilKeysAreHeard();
    };
    const untilListed = () =>
      waitFor(() => expect(window.location.search).toBe('?group=broken&sort=host'));
    await open();
    await userEvent.keyboard('u');
    await untilListed();
    await open();

    const main = within(screen.getByRole('main'));
    await userEvent.click(main.getByRole('link', { name: 'Installations' }));

    await untilListed();
    expect(window.location.pathname).toBe('/admin/installations');
  });

  it('are all in the list of keys', async () => {
    await showBroken();

    await userEvent.keyboard('?');

    const dialog = await screen.findByRole('dialog', { name: 'All keys' });
    const listed = [...dialog.querySelectorAll('dt')].map((each) => each.textContent);
    const pages = places.map(({ letter }) => `g${letter}`);
    expect(listed).toEqual(expect.arrayContaining(['e', 'r', 't', 'p', '[]', ...pages]));
    expect(within(dialog).getByText('Go to Calls')).toBeDefined();
  });
});

describe('the command palette', () => {
  it('takes the first letter, also when it comes at once', async () => {
    await showBroken();

    fireEvent.keyDown(document.body, { key: 'k', code: 'KeyK', ctrlKey: true });

    // A letter on the page would open a dialog of an action.
    expect(document.activeElement).toBe(screen.getByPlaceholderText('Find a tenant, id or page'));
  });

  it('opens the first installation that it finds with Enter', async () => {
    const bff = createFakeBff({ installations: [brokenFixture()], details: [broken] });
    renderAdmin(bff, '/audit');
    await screen.findByRole('heading', { name: 'Audit' });
    await untilKeysAreHeard();
    const palette = await openPalette();

    await userEvent.type(palette.getByPlaceholderText('Find a tenant, id or page'), 'hool');
    await palette.findByRole('button', { name: /hooli/ });
    await userEvent.keyboard('{Enter}');

    expect(await screen.findByRole('heading', { name: 'hooli.example.com' })).toBeDefined();
  });
});

describe('Enter while the search of another text is answered', () => {
  it('opens what the new text finds', async () => {
    const acme = installationFixture();
    const details = [broken, detailFixture({ installation: acme })];
    const bff = createFakeBff({ installations: [brokenFixture(), acme], details });
    renderAdmin(bff, '/audit');
    await screen.findByRole('heading', { name: 'Audit' });
    await untilKeysAreHeard();
    const palette = await openPalette();
    const field = palette.getByPlaceholderText('Find a tenant, id or page');
    await userEvent.type(field, 'hool');
    await palette.findByRole('button', { name: /hooli/ });

    await userEvent.clear(field);
    await userEvent.type(field, 'acme{Enter}');

    expect(await screen.findByRole('heading', { name: 'acme.example.com' })).toBeDefined();
  });
});

describe('the actions in the command palette', () => {
  it('act on the installation that is shown', async () => {
    const bff = await showBroken();
    const palette = await openPalette();

    await userEvent.click(palette.getByRole('button', { name: 'End sessions' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'End sessions' }));
    await userEvent.type(dialog.getByLabelText('Reason'), 'lost laptop{Enter}');

    await dialog.findByRole('status');
    const sent = bff.requests.find(({ url }) => url.endsWith('/hooli/actions/end-sessions'));
    expect(await sent?.json()).toEqual({ reason: 'lost laptop' });
  });

  it('end with the page of their installation, before or after they are done', async () => {
    const acme = installationFixture();
    const wonka = uninstalledFixture();
    const bff = createFakeBff({
      installations: [brokenFixture(), acme, wonka],
      details: [broken, ...[acme, wonka].map((installation) => detailFixture({ installation }))],
    });
    renderAdmin(bff, '/installations');
    const open = async (host: string) => {
      await userEvent.click(await screen.findByRole('link', { name: host }));
      await screen.findByRole('heading', { name: host });
      await untilKeysAreHeard();
    };
    const choose = async (name: string) => {
      const palette = await openPalette();
      await userEvent.click(palette.getByRole('button', { name }));
      return within(await screen.findByRole('dialog', { name }));
    };
    await open('hooli.example.com');
    await choose('End sessions');
    act(() => window.history.back());
    await open('acme.example.com');
    expect(screen.queryByRole('dialog')).toBeNull();

    act(() => window.history.back());
    await open('wonka.example.com');
    const dialog = await choose('Purge now');
    await userEvent.type(dialog.getByLabelText('Type the name to confirm'), 'wonka.example.com');
    await userEvent.type(dialog.getByLabelText('Reason'), 'contract ended{Enter}');
    await open('acme.example.com');

    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('stay with the reason where they cannot be done', async () => {
    await showBroken({ role: 'viewer' });
    const palette = await openPalette();

    const pause = palette.getByRole('button', { name: /^Pause.*Viewers cannot do this/ });
    await userEvent.click(pause);

    expect(screen.queryByRole('dialog', { name: 'Pause' })).toBeNull();
    expect(pause.getAttribute('aria-disabled')).toBe('true');
  });

  it('are found by their name, and are none where no installation is shown', async () => {
    await showBroken();
    let palette = await openPalette();
    await userEvent.keyboard('sessions');
    expect(palette.getByRole('button', { name: 'End sessions' })).toBeDefined();
    expect(palette.queryByRole('button', { name: 'Pause' })).toBeNull();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

    await userEvent.keyboard('go');
    await screen.findByRole('heading', { name: 'Overview' });
    palette = await openPalette();

    expect(palette.queryByText(/^Actions/)).toBeNull();
    expect(palette.getByRole('button', { name: 'People' })).toBeDefined();
  });
});
