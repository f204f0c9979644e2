import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { answerControl, renderPage } from '../test-page.tsx';
import { WidgetFrame } from './widget-frame.tsx';

function renderFrame(height: number | string | null = null) {
  renderPage(
    <WidgetFrame
      instanceId="instance-1"
      src="tenant-1_instance-1"
      view="main"
      url="about:blank?src=tenant-1_instance-1"
      height={height}
      title="Nudge"
    />,
  );
  const frame = screen.getByTitle<HTMLIFrameElement>('Nudge');
  const source = frame.contentWindow;
  if (!source) throw new TypeError('The frame has no window');
  const send = (data: unknown) => fireEvent(window, new MessageEvent('message', { source, data }));
  return { frame, source, send };
}

describe('a widget’s frame', () => {
  it('keeps the plug-in in a sandbox without the page’s origin', () => {
    answerControl({});

    const { frame } = renderFrame();

    expect(frame.getAttribute('sandbox')).toBe(
      'allow-scripts allow-forms allow-popups allow-downloads',
    );
    expect(frame.getAttribute('referrerpolicy')).toBe('strict-origin');
    expect(frame.getAttribute('allow')).toBe('camera; geolocation; fullscreen');
  });

  it('has the height or the ratio that the manifest names', () => {
    answerControl({});
    expect(renderFrame(200.5).frame.style.height).toBe('201px');
    cleanup();

    const { frame } = renderFrame('4:3');

    expect(frame.style.aspectRatio).toBe('4 / 3');
    expect(frame.style.height).toBe('');
  });

  it('grows to the height that the plug-in asks for', () => {
    answerControl({});
    const { frame, send } = renderFrame();

    send({ iss: 'tenant-1_instance-1', sub: 'setHeight', height: 321.5 });

    expect(frame.style.height).toBe('322px');
  });

  it('hands the platform’s init JWT to the frame', async () => {
    answerControl({ 'POST /control/init': { status: 201, body: { initJwt: 'a.b.c' } } });
    const { source, send } = renderFrame();
    const postMessage = vi.spyOn(source, 'postMessage').mockReturnValue();

    send({ iss: 'tenant-1_instance-1', sub: 'init', jti: 'nonce-1' });

    await waitFor(() => expect(postMessage).toHaveBeenCalledWith('a.b.c', '*'));
  });

  it('says in words when the platform cannot answer an init', async () => {
    const body = { code: 'INSTANCE_NOT_FOUND', message: 'There is no such widget' };
    answerControl({ 'POST /control/init': { status: 404, body } });
    const { send } = renderFrame();

    send({ iss: 'tenant-1_instance-1', sub: 'init', jti: 'nonce-1' });

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('There is no such widget (INSTANCE_NOT_FOUND)');
  });
});
