import type { Instance } from '@dowel/emulator/control-api';
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { installation } from '../fixtures.ts';
import { answerControl, type FakeAnswer, renderPage } from '../test-page.tsx';
import { WidgetCard } from './widget-card.tsx';

// A dialog is slow on a busy machine.
beforeAll(() => configure({ asyncUtilTimeout: 10_000 }));
afterAll(() => configure({ asyncUtilTimeout: 1_000 }));
const instance: Instance = {
  instanceId: 'instance-1',
  entryPointId: 'entry-1',
  src: 'instance-1',
  url: 'about:blank?src=instance-1',
  configUrl: 'about:blank?page=config&src=instance-1',
  title: 'Lunch',
  height: null,
};

const saveRequest = { status: 201, body: { saveJwt: 'a.b.c', jti: 'save-1' } };
const configPath = '/control/plugins/p1/instances/instance-1/config';

async function openDialog(answers: Record<string, FakeAnswer> = {}) {
  const fetchFake = answerControl({
    'POST /control/save': saveRequest,
    [`PUT ${configPath}`]: { status: 204 },
    ...answers,
  });
  renderPage(<WidgetCard installation={installation} instance={instance} />);
  await userEvent.click(screen.getByRole('button', { name: 'Configure widget Lunch' }));
  const dialog = await screen.findByRole('dialog', { name: 'Configure Lunch' });
  const frame = within(dialog).getByTitle<HTMLIFrameElement>('Configuration of Nudge');
  const source = frame.contentWindow;
  if (!source) throw new TypeError('The frame has no window');
  const postMessage = vi.spyOn(source, 'postMessage').mockReturnValue();
  const send = (data: object) =>
    fireEvent(window, new MessageEvent('message', { source, data: { iss, ...data } }));
  const iss = 'instance-1-cfg';
  const press = (name: string) =>
    userEvent.click(within(dialog).getByRole('button', { name }), { pointerEventsCheck: 0 });
  const calls = (method: string) =>
    fetchFake.mock.calls.filter(([, init]) => init?.method === method);
  /** Presses "Save", and answers as the plug-in's page. */
  const saveAs = async (data: unknown) => {
    await press('Save');
    await waitFor(() => expect(postMessage).toHaveBeenCalledWith('a.b.c', '*'));
    send({ sub: 'setConfig', jti: 'save-1', data });
  };
  return { dialog, frame, postMessage, send, press, saveAs, calls };
}

const expectClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

describe('the dialog to configure a widget', () => {
  it('is not offered for a widget without a configuration page', () => {
    answerControl({});

    renderPage(
      <WidgetCard installation={installation} instance={{ ...instance, configUrl: null }} />,
    );

    expect(screen.getByRole('button', { name: 'Reload widget Lunch' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Configure/ })).toBeNull();
  });

  it('shows the configuration page in the same sandbox, as tall as it asks', async () => {
    const { frame, send } = await openDialog();
    const widget = screen.getByTitle('Nudge');

    send({ sub: 'setHeight', height: 700 });

    expect(frame.getAttribute('src')).toBe(instance.configUrl);
    expect(frame.getAttribute('sandbox')).toBe(widget.getAttribute('sandbox'));
    expect(frame.style.height).toBe('700px');
    expect(widget.style.height).toBe('');
  });

  it('hands the configuration page an init JWT of its widget', async () => {
    const initJwt = { status: 201, body: { initJwt: 'd.e.f' } };
    const { postMessage, send, calls } = await openDialog({ 'POST /control/init': initJwt });

    send({ sub: 'init', jti: 'nonce-1' });

    await waitFor(() => expect(postMessage).toHaveBeenCalledWith('d.e.f', '*'));
    const [[path, init] = []] = calls('POST');
    expect([path, init?.body]).toEqual([
      '/control/init',
      JSON.stringify({ instanceId: 'instance-1', jti: 'nonce-1' }),
    ]);
  });

  it('stores what the page answers, closes, and loads the widget again', async () => {
    const { saveAs, calls } = await openDialog();
    const widget = screen.getByTitle('Nudge');

    await saveAs({ city: 'Bonn' });

    await expectClosed();
    expect(calls('PUT').map(([path, init]) => [path, init?.body])).toEqual([
      [configPath, '{"city":"Bonn"}'],
    ]);
    expect(screen.getByTitle('Nudge')).not.toBe(widget);
    expect(await screen.findByText('The widget Lunch is configured.')).toBeTruthy();
  });

  it('closes without storing when the page answers true', async () => {
    const { saveAs, calls } = await openDialog();
    const widget = screen.getByTitle('Nudge');

    await saveAs(true);

    await expectClosed();
    expect(calls('PUT')).toEqual([]);
    expect(screen.getByTitle('Nudge')).toBe(widget);
  });

  it('stays open and says so when the page answers false, and can be saved again', async () => {
    const { dialog, frame, saveAs } = await openDialog();

    await saveAs(false);

    const alert = await within(dialog).findByRole('alert');
    expect(alert.textContent).toContain('The plug-in did not accept it. Its own page says why.');
    expect(screen.getByTitle('Configuration of Nudge')).toBe(frame);
    await saveAs(true);
    await expectClosed();
  });

  it('says why the platform did not store an answer', async () => {
    const body = { code: 'INVALID_REQUEST', message: 'a.b: A name may not contain a dot' };
    const { dialog, saveAs } = await openDialog({ [`PUT ${configPath}`]: { status: 400, body } });

    await saveAs({ 'a.b': 1 });

    const alert = await within(dialog).findByRole('alert');
    expect(alert.textContent).toContain('A name may not contain a dot (INVALID_REQUEST)');
  });

  it('asks the page once, however often "Save" is pressed', async () => {
    const { dialog, postMessage, press, calls } = await openDialog();
    const button = within(dialog).getByRole('button', { name: 'Save' });

    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => expect(postMessage).toHaveBeenCalled());
    await press('Save');

    expect(button).toHaveProperty('disabled', true);
    expect(calls('POST').map(([path]) => path)).toEqual(['/control/save']);
    expect(postMessage).toHaveBeenCalledTimes(1);
  });

  it('stores nothing that is answered after "Cancel"', async () => {
    const { postMessage, press, send, calls } = await openDialog();
    await press('Save');
    await waitFor(() => expect(postMessage).toHaveBeenCalled());

    await press('Cancel');
    await expectClosed();
    send({ sub: 'setConfig', jti: 'save-1', data: { city: 'Bonn' } });
    await userEvent.click(screen.getByRole('button', { name: 'Configure widget Lunch' }));

    expect(await screen.findByRole('button', { name: 'Save' })).toHaveProperty('disabled', false);
    expect(calls('PUT')).toEqual([]);
  });

  it('names its close button', async () => {
    const { press } = await openDialog();

    await press('Close configuration');

    await expectClosed();
  });
});
