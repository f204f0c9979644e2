import type { FakeHost } from '@dowel/adapter/testing';
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type BackEnd, openPage, startBackEnd } from './testing.tsx';

let backEnd: BackEnd;
let host: FakeHost;

beforeEach(() => {
  backEnd = startBackEnd();
});

afterEach(() => {
  cleanup();
  host.close();
  vi.unstubAllGlobals();
});

async function openSettings(config: object = {}) {
  host = await openPage({ view: 'config', config });
  return screen.findByRole('textbox', { name: 'Suggested recipient' });
}

test('the settings are what is stored, and what is written is saved', async () => {
  const recipient = await openSettings({ intro: 'Hello', recipientEmail: '' });
  const intro = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Words above the form' });
  expect(intro.value).toBe('Hello');

  await userEvent.type(recipient, 'ada@example.com');
  await userEvent.type(intro, ' there');

  expect(await host.save()).toEqual({ intro: 'Hello there', recipientEmail: 'ada@example.com' });
  await screen.findByText('Saved.');
});

test('a wrong address is not saved, and the page says what to fix', async () => {
  await userEvent.type(await openSettings(), 'ada');

  expect(await host.save()).toBe(false);
  await screen.findByText('Not saved. Fix the marked fields.');
  expect(
    screen.getByRole('textbox', {
      name: 'Suggested recipient',
      description: /Enter an email address/,
    }),
  ).toBeDefined();
});

test('settings that cannot be read are replaced', async () => {
  await openSettings({ intro: 7 });

  expect(await host.save()).toEqual({ intro: '', recipientEmail: '' });
});

test('an administrator needs no session', async () => {
  await openSettings();

  expect(backEnd.asked('/api/session')).toEqual([]);
  expect(backEnd.asked('/api/session/nonce')).toEqual([]);
});

test('the page has another name than the widget, which is shown behind it', async () => {
  await openSettings();

  expect(screen.getByRole('main', { name: 'What this widget shows' })).toBeDefined();
});
