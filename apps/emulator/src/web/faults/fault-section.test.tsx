import {
  type ActiveFault,
  type ExchangeSummary,
  faultDescriptions,
} from '@dowel/emulator/control-api';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { accepted, installation } from '../fixtures.ts';
import { createI18n } from '../i18n/create-i18n.ts';
import { answerControl, renderPage } from '../test-page.tsx';
import { FaultSection } from './fault-section.tsx';
import type { Play } from './use-play.ts';

const event: ExchangeSummary = {
  ...accepted,
  id: 5,
  answeredAt: 10,
  event: 'access_token',
  status: 503,
  error: { code: 'REFUSED', message: '' },
};
const exchange: ExchangeSummary = {
  ...event,
  id: 6,
  direction: 'in',
  kind: 'code',
  event: null,
  status: 200,
  error: null,
  fault: 'token.notJson',
};
const notJson = { name: 'token.notJson', status: 200, skip: 0 } as const;
const active: ActiveFault = { id: 3, hits: 4, fault: { ...notJson, times: 'always' } };

function Section({ first }: { first: Play | null }) {
  const [play, setPlay] = useState(first);
  return <FaultSection play={play} setPlay={setPlay} />;
}

function open({
  exchanges = [event],
  faults = [] as ActiveFault[],
  installations = [installation],
  language = 'en' as 'en' | 'de',
  play = null as Play | null,
}) {
  const fetchFake = answerControl({
    'GET /control/plugins': { status: 200, body: { installations } },
    'GET /control/exchanges': { status: 200, body: { exchanges } },
    'GET /control/faults': { status: 200, body: { faults } },
    'POST /control/faults': { status: 201, body: { ...active, fault: { ...notJson, times: 1 } } },
    'DELETE /control/faults/3': { status: 204 },
    'POST /control/plugins/p1/events': { status: 201, body: {} },
  });
  renderPage(<Section first={play} />, createI18n(language));
  const sent = () =>
    fetchFake.mock.calls.flatMap(([path, init]) =>
      init?.method === 'GET'
        ? []
        : [[init?.method, path, ...(init?.body ? [JSON.parse(String(init.body))] : [])]],
    );
  return { sent };
}

describe('the faults', () => {
  it('are all there, with what happens and what a good back end does', () => {
    open({});

    for (const { name } of faultDescriptions) {
      expect(screen.getByRole('button', { name: `Play ${name}` })).toBeTruthy();
    }
    const item = screen.getByText('key.notFound').closest('li');
    expect(item?.textContent).toContain('The key host answers 404.');
    expect(item?.textContent).toContain('A good back end: Refuses the event');
  });

  it('are explained in German, too', () => {
    open({ language: 'de' });

    expect(screen.getByText('key.notFound').closest('li')?.textContent).toContain(
      'Der Schlüssel-Host antwortet mit 404.',
    );
  });

  it('are played with the plug-in, and the page says whether it did the good thing', async () => {
    const { sent } = open({});
    const button = screen.getByRole('button', { name: 'Play token.notJson' });
    await vi.waitFor(() => expect(button.hasAttribute('disabled')).toBe(false), 120_000);

    await userEvent.click(button);

    expect(await screen.findByText('no request has met it yet')).toBeTruthy();
    expect(sent()).toEqual([
      ['POST', '/control/faults', { name: 'token.notJson', on: 'code', pluginId: 'p1' }],
      ['POST', '/control/plugins/p1/events', { event: 'access_token' }],
    ]);
  });

  it('that were played say whether the back end did the good thing', async () => {
    open({
      exchanges: [event, exchange],
      play: { name: 'token.notJson', pluginId: 'p1', sinceId: 4, faultIds: [] },
    });

    expect(await screen.findByText('good: it refused the event')).toBeTruthy();
    expect(screen.getByText('2 requests since then')).toBeTruthy();
  });

  it('are switched on for every request, and count their hits', async () => {
    const { sent } = open({});

    await userEvent.click(screen.getByRole('switch', { name: 'On: token.notJson' }));

    await vi.waitFor(
      () =>
        expect(sent()).toEqual([
          ['POST', '/control/faults', { name: 'token.notJson', on: 'code', times: 'always' }],
        ]),
      120_000,
    );
  });

  it('that are on count their hits, and are switched off', async () => {
    const { sent } = open({ faults: [active] });
    expect(await screen.findByText('4 hits')).toBeTruthy();

    await userEvent.click(screen.getByRole('switch', { name: 'On: token.notJson', checked: true }));

    await vi.waitFor(
      () => expect(sent()[0]?.slice(0, 2)).toEqual(['DELETE', '/control/faults/3']),
      120_000,
    );
  });

  it('cannot be played without a plug-in', async () => {
    open({ installations: [] });

    expect(await screen.findByText('Install a plug-in to play faults.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Play key.down' }).hasAttribute('disabled')).toBe(
      true,
    );
  });
});
