import type { DeliveryDetail, Refusals } from '@dowel/admin-api';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { deliveryFixture, refusalsFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;

const burst: Partial<Refusals> = {
  reasons: [
    {
      reason: 'signature_invalid',
      count: 2_766,
      firstAt: serverNow - 300 * minute,
      lastAt: serverNow - 240 * minute,
    },
    {
      reason: 'issuer_key_mismatch',
      count: 12,
      firstAt: serverNow - 9 * minute,
      lastAt: serverNow - 3 * minute,
    },
  ],
};

const accepted = deliveryFixture({
  id: 'accepted',
  at: serverNow - 90 * minute,
  event: 'access_token',
  installationId: 'acme',
  host: 'acme.example.com',
  isVerified: true,
  status: 201,
  reason: null,
  durationMs: 184,
  sender: '',
  body: '{}',
  claims: [
    { name: 'iat', value: 1_999_990_000 },
    { name: 'client.client_id', value: 'dowel-acme' },
    { name: 'client.client_secret', value: null, masked: 'secret' },
  ],
});

const deliveries: DeliveryDetail[] = [
  deliveryFixture({
    id: 'untrusted',
    at: serverNow - 3 * minute,
    reason: 'issuer_key_mismatch',
    host: 'staging.example',
  }),
  { ...accepted, id: 'again', at: serverNow - 80 * minute, isRepeat: true, durationMs: 2 },
  accepted,
  deliveryFixture(),
];

function show(changes: Partial<FakeBff> = {}, path = '/events'): FakeBff {
  const bff = createFakeBff({ refusals: refusalsFixture(burst), deliveries, ...changes });
  renderAdmin(bff, path);
  return bff;
}

async function readRows(name: string): Promise<(string | null)[]> {
  const table = within(await screen.findByRole('table', { name }));
  return table
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
}

const list = () => readRows('All events');
const forged = expect.stringMatching(
  /installbrambleworks\.exampleclaimed400 refusedSignature is wrong3 ms$/,
);
const untrusted = expect.stringMatching(
  /installstaging\.exampleclaimed400 refusedIssuer not trusted3 ms$/,
);
const first = expect.stringMatching(/access_tokenacme\.example\.com201 accepted184 ms$/);
const repeated = expect.stringMatching(
  /access_tokenacme\.example\.com201 acceptedthe same answer as before2 ms$/,
);

describe('the page about events', () => {
  it('lists each event with the tenant, our answer in words, and how long it took', async () => {
    show();

    expect(await list()).toEqual([untrusted, repeated, first, forged]);
    const tenant = screen.getAllByRole('link', { name: 'acme.example.com' })[0];
    expect(tenant?.getAttribute('href')).toMatch(/installations\/acme$/);
  });

  it('says for each reason how often, when and what helps; first where something can be done', async () => {
    show();

    expect(await readRows('Refused, by reason')).toEqual([
      expect.stringMatching(
        /^Issuer not trusted12.*Add a rule to DOWEL_TRUST, but only if this is your platform\.$/,
      ),
      expect.stringMatching(/^Signature is wrong2,766.*Nothing\. If it lasts/),
    ]);
    const [, one, other] = screen.getAllByRole('row');
    expect([one, other].map((row) => row?.getAttribute('data-tone'))).toEqual(['risk', 'gone']);
  });

  it('a reason limits the list, which is announced, and can be left out again', async () => {
    show();
    const words = await screen.findByText('All events: 4 events are shown');
    expect(words.getAttribute('aria-live')).toBe('polite');

    await userEvent.click(await screen.findByRole('link', { name: 'Signature is wrong' }));

    await waitFor(async () => expect(await list()).toEqual([forged]));
    expect(words.textContent).toBe('Signature is wrong: one event is shown');
    expect((await readRows('Refused, by reason'))[1]).toContain('The signature does not match');
    expect(window.location.search).toBe('?reason=signature_invalid');
    await userEvent.click(screen.getByRole('button', { name: 'Not only Signature is wrong' }));
    await waitFor(async () => expect(await list()).toHaveLength(4));
  });

  it('shows the most frequent reasons first on request, and further ones on a click', async () => {
    const reasons = Array.from({ length: 7 }, (_, index) => ({
      reason: `reason_${index}`,
      count: index + 1,
      firstAt: serverNow,
      lastAt: serverNow,
    }));
    show({ refusals: refusalsFixture({ reasons: [...reasons, ...(burst.reasons ?? [])] }) });
    await userEvent.click(await screen.findByRole('radio', { name: 'Most frequent first' }));

    expect((await readRows('Refused, by reason'))[0]).toContain('Signature is wrong');
    expect(window.location.search).toBe('?reasons=count');
    await userEvent.click(screen.getByRole('button', { name: 'Show 4 more reasons' }));
    expect(await readRows('Refused, by reason')).toHaveLength(9);
  });

  it.each([
    ['?outcome=accepted', [repeated, first]],
    ['?outcome=refused', [untrusted, forged]],
    ['?outcome=repeated', [repeated]],
    ['?event=access_token&order=oldest', [first, repeated]],
    ['?installation=acme', [repeated, first]],
    ['?event=unknown&outcome=x&from=soon', [untrusted, repeated, first, forged]],
  ])('the address %s finds what it says', async (address, found) => {
    show({}, `/events${address}`);

    expect(await list()).toEqual(found);
  });

  it('finds what was answered at a minute, once it is typed', async () => {
    const bff = show();
    await list();
    const local = toLocalMinute(accepted.at);
    const asked = () => bff.requests.filter(({ url }) => url.includes('since=')).length;

    const from = screen.getByLabelText('From');
    fireEvent.keyDown(from, { key: '1' });
    for (const text of [`0${local.slice(1)}`, local.replace(/\d$/, '0'), local]) {
      fireEvent.change(from, { target: { value: text } });
    }
    expect(window.location.search).toBe('');
    fireEvent.keyDown(from, { key: 'Enter' });
    const to = screen.getByLabelText('To');
    fireEvent.keyDown(to, { key: '1' });
    fireEvent.change(to, { target: { value: local } });
    fireEvent.blur(to);

    await waitFor(async () => expect(await list()).toEqual([first]));
    expect(asked()).toBeLessThanOrEqual(2);
    expect(window.location.search).toContain(`from=${encodeURIComponent(local)}`);
  });

  it('opens an event with its verdict, what the platform saw and its claims', async () => {
    show();
    await list();

    await userEvent.click(screen.getAllByRole('link', { name: 'access_token' })[1] as Element);

    const dialog = within(await screen.findByRole('dialog', { name: 'Event and answer' }));
    expect(await dialog.findByText('The event was accepted.')).toBeDefined();
    expect(dialog.getByText(/^HTTP 201/).textContent).toBe('HTTP 201\n{}');
    const claims = within(dialog.getByRole('table', { name: 'What it contained' }));
    expect(claims.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^iat1999990000/),
      'client.client_iddowel-acme',
      'client.client_secretsecret, not kept',
    ]);
    expect(dialog.getByRole('link', { name: /Ask for a new/ }).getAttribute('href')).toMatch(
      /installations\/acme$/,
    );
    expect(dialog.queryByText(/Not verified/)).toBeNull();
    await userEvent.click(dialog.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('marks the claims of a forged event, and says why it was refused', async () => {
    show({}, '/events?delivery=forged');

    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText(/The signature does not match/)).toBeDefined();
    expect(dialog.getByText('Not verified: anybody may have written this.')).toBeDefined();
    expect(dialog.getByText(/"code":401/)).toBeDefined();
    expect(dialog.queryByRole('link', { name: /Ask for a new/ })).toBeNull();
  });

  it('tells a viewer who may see the claims', async () => {
    show(
      { role: 'viewer', deliveries: [{ ...accepted, claims: null }] },
      '/events?delivery=accepted',
    );

    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText('Operators and owners see what it contained.')).toBeDefined();
    expect(dialog.queryByRole('link', { name: /Ask for a new/ })).toBeNull();
  });

  it('saves what is shown as a file of comma-separated values', async () => {
    const saved: Blob[] = [];
    URL.createObjectURL = (blob) => {
      saved.push(blob as Blob);
      return 'blob:events';
    };
    URL.revokeObjectURL = () => undefined;
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    show({}, '/events?outcome=refused');
    await list();

    await userEvent.click(screen.getByRole('button', { name: 'Export as CSV' }));

    const lines = ((await saved[0]?.text()) ?? '').trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain(',install,brambleworks.example,0,,400,signature_invalid,0,3,');
  });

  it('counts the refusals of another span of time', async () => {
    const bff = show();

    await userEvent.click(await screen.findByRole('radio', { name: '7 d' }));

    const asked = bff.requests.map(({ url }) => new URL(url).searchParams.get('last'));
    expect(asked).toContain(String(7 * 24 * 60 * minute));
    expect(window.location.search).toBe('?span=week');
  });

  it('says that nothing was refused, nothing was posted, or nothing matches', async () => {
    const bff = show({ refusals: refusalsFixture(), deliveries: [] });
    const heading = { name: 'Nothing was refused in the last 24 hours' };

    expect(await screen.findByRole('heading', heading)).toBeDefined();
    expect(await screen.findByText('Nothing was posted in the last seven days.')).toBeDefined();
    expect(screen.queryByRole('table')).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: 'Repeated' }));
    expect(await screen.findByText('No event matches.')).toBeDefined();
    expect(bff.deliveries).toEqual([]);
  });

  it('names a missing issuer in words, and a reason that it does not know by its code', async () => {
    const reason = 'reason_of_tomorrow';
    const session = { event: 'session', host: '', reason, status: 403, durationMs: null } as const;
    show({ deliveries: [deliveryFixture(session)] });

    expect(await list()).toEqual([
      expect.stringMatching(/session of a pagenone403 refusedreason_of_tomorrow–$/),
    ]);
  });

  it('is reached by g and e, from the navigation, and from its address of before', async () => {
    renderAdmin(createFakeBff(), '/refused?reason=expired');
    expect(await screen.findByRole('heading', { level: 1, name: 'Events' })).toBeDefined();
    expect(window.location.pathname).toMatch(/\/events$/);
    const navigation = within(await screen.findByRole('complementary'));
    expect(await navigation.findByRole('link', { name: 'Events' })).toBeDefined();

    await userEvent.keyboard('go');
    expect(await screen.findByRole('heading', { level: 1, name: 'Overview' })).toBeDefined();
    await userEvent.keyboard('ge');
    expect(await screen.findByRole('heading', { level: 1, name: 'Events' })).toBeDefined();
  });

  it('offers to try again when it cannot be loaded', async () => {
    const bff = show({ isBroken: true });

    await screen.findByText('The counts of refusals could not be loaded');
    await screen.findByText('The events could not be loaded');
    bff.isBroken = false;
    for (const button of screen.getAllByRole('button', { name: 'Try again' })) {
      await userEvent.click(button);
    }

    expect(await list()).toHaveLength(4);
  });
});

/** As a field of a date and a time has it. */
function toLocalMinute(at: number): string {
  const date = new Date(at);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, 16);
}
