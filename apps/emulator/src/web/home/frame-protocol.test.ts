import { describe, expect, it, vi } from 'vitest';
import { clampFrameHeight, createFrameListener, parseFrameMessage } from './frame-protocol.ts';

const instanceId = 'instance-1';

function startConversation(requestInitJwt = vi.fn(async () => 'header.payload.signature')) {
  const frameWindow = { postMessage: vi.fn() };
  const onHeight = vi.fn();
  const onInitSettled = vi.fn();
  const listener = createFrameListener({
    instanceId,
    frameWindow: () => frameWindow,
    requestInitJwt,
    onHeight,
    onInitSettled,
  });
  const send = (data: unknown, source: unknown = frameWindow) => listener({ source, data });
  return { frameWindow, requestInitJwt, onHeight, onInitSettled, send };
}

const init = { iss: instanceId, sub: 'init', jti: 'nonce-1' };

describe('the frame protocol', () => {
  it('answers an init message once with the JWT for its jti', async () => {
    const { frameWindow, requestInitJwt, onInitSettled, send } = startConversation();

    send(init);
    send(init);

    await vi.waitFor(() => expect(onInitSettled).toHaveBeenCalledWith(null));
    expect(requestInitJwt.mock.calls).toEqual([[instanceId, 'nonce-1']]);
    expect(frameWindow.postMessage.mock.calls).toEqual([['header.payload.signature', '*']]);
  });

  it('ignores every message from another window', () => {
    const { requestInitJwt, onHeight, send } = startConversation();
    const foreignWindow = { postMessage: vi.fn() };

    send(init, foreignWindow);
    send({ iss: instanceId, sub: 'setHeight', height: 300 }, foreignWindow);
    send(init, null);

    expect(requestInitJwt).not.toHaveBeenCalled();
    expect(onHeight).not.toHaveBeenCalled();
  });

  it('ignores every message while the frame has no window', () => {
    const requestInitJwt = vi.fn(async () => 'jwt');
    const listener = createFrameListener({
      instanceId,
      frameWindow: () => null,
      requestInitJwt,
      onHeight: vi.fn(),
      onInitSettled: vi.fn(),
    });

    listener({ source: null, data: init });

    expect(requestInitJwt).not.toHaveBeenCalled();
  });

  it('ignores a message that names another instance', () => {
    const { requestInitJwt, onHeight, send } = startConversation();

    send({ ...init, iss: 'instance-2' });
    send({ iss: 'instance-2', sub: 'setHeight', height: 300 });

    expect(requestInitJwt).not.toHaveBeenCalled();
    expect(onHeight).not.toHaveBeenCalled();
  });

  it('reports an init that could not be answered and answers it when asked again', async () => {
    const requestInitJwt = vi.fn(async () => 'jwt').mockRejectedValueOnce(new Error('away'));
    const { frameWindow, onInitSettled, send } = startConversation(requestInitJwt);

    send(init);
    await vi.waitFor(() => expect(onInitSettled).toHaveBeenCalledWith(new Error('away')));
    expect(frameWindow.postMessage).not.toHaveBeenCalled();

    send(init);
    await vi.waitFor(() => expect(frameWindow.postMessage).toHaveBeenCalledWith('jwt', '*'));
  });

  it('passes on the height the plug-in asks for', () => {
    const { onHeight, send } = startConversation();

    send({ iss: instanceId, sub: 'setHeight', height: 300.2 });

    expect(onHeight).toHaveBeenCalledWith(301);
  });
});

describe('parseFrameMessage', () => {
  it.each([
    ['a string', 'init'],
    ['null', null],
    ['an unknown subject', { iss: instanceId, sub: 'setConfig', data: true }],
    ['an init without jti', { iss: instanceId, sub: 'init' }],
    ['an empty jti', { iss: instanceId, sub: 'init', jti: '' }],
    ['a jti that is too long', { iss: instanceId, sub: 'init', jti: 'x'.repeat(257) }],
    ['a height that is a text', { iss: instanceId, sub: 'setHeight', height: '300' }],
    ['an infinite height', { iss: instanceId, sub: 'setHeight', height: Number.POSITIVE_INFINITY }],
    ['a height that is not a number', { iss: instanceId, sub: 'setHeight', height: Number.NaN }],
  ])('refuses %s', (_name, data) => {
    expect(parseFrameMessage(data, instanceId)).toBeNull();
  });
});

describe('clampFrameHeight', () => {
  it('keeps a frame between 40 and 5000 whole pixels', () => {
    expect([-1, 0, 40, 40.1, 5_000, 1e9].map(clampFrameHeight)).toEqual([
      40, 40, 40, 41, 5_000, 5_000,
    ]);
  });
});
