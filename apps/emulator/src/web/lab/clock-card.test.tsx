import { strictRules } from '@dowel/emulator/authorization-server';
import { defaultForms } from '@dowel/emulator/control-api';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { answerControl, renderPage } from '../test-page.tsx';
import { ClockCard } from './clock-card.tsx';

function open(clockOffsetSeconds: number) {
  const fetchFake = answerControl({ 'PATCH /control/lab': { status: 200, body: {} } });
  renderPage(<ClockCard lab={{ clockOffsetSeconds, ...strictRules, forms: defaultForms }} />);
  return () => fetchFake.mock.calls.map(([, init]) => JSON.parse(String(init?.body)));
}

it.each([
  ['Advance 1 hour', 4_200],
  ['Advance', 2_400],
  ['Set back', -1_200],
  ['Back to real time', 0],
])('"%s" sets the clock to an offset of %i s', async (name, clockOffsetSeconds) => {
  const sent = open(600);
  expect(screen.getByRole('status').textContent).toBe('10 min ahead');

  await userEvent.click(screen.getByRole('button', { name }));

  await vi.waitFor(() => expect(sent()).toEqual([{ clockOffsetSeconds }]), 120_000);
});

it('says how far the clock is behind', () => {
  open(-90);

  expect(screen.getByRole('status').textContent).toBe('1 min 30 sec behind');
});

it('cannot be set to real time when it shows it', () => {
  open(0);

  const button = screen.getByRole('button', { name: 'Back to real time' });
  expect(button.hasAttribute('disabled')).toBe(true);
});
