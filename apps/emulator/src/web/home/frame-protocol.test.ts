import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  clampFrameHeight,
  createFrameConversation,
  type FrameView,
  parseFrameMessage,
} from './frame-protocol.ts';

afterEach(() => void vi.useRealTimers());

const instanceId = 'instance-1';
const src = 'tenant-1_instance-1';

function startConversation(
  requestInitJwt = vi.fn(async () => 'header.payload.signature'),
  view: FrameView = 'main',
) {
  const frameWindow = { postMessage: vi.fn() };
  const onHeight = vi.fn();
  const onInitSettled = vi.fn();
  const { listener, askToSave, end } = createFrameConversation({
    instanceId,
    src,
    view,
    frameWindow: () => frameWindow,
    requestInitJwt,
    onHeight,
    onInitSettled,
  });
  const send = (data: unknown, source: unknown = frameWindow) => listener({ source, data });
  return { frameWindow, requestInitJwt, onHeight, onInitSettled, send, askToSave, end };
}

const init = { iss: src, sub: 'init', jti: 'nonce-1' };

describe('the frame protocol', () => {
  it('answers an init message once with the JWT for its jti', async () => {
    const { frameWindow, requestInitJwt, onInitSettled, send } = startConversation();

    send(init);
    send(init);

    await vi.waitFor(() => expect(onInitSettled).toHaveBeenCalledWith(null), 120_000);
    expect(requestInitJwt.mock.calls).toEqual([[instanceId, 'nonce-1']]);
    expect(frameWindow.postMessage.mock.calls).toEqual([['header.payload.signature', '*']]);
  });

  it('ignores every message from another window', () => {
    const { requestInitJwt, onHeight, send } = startConversation();
    const foreignWindow = { postMessage: vi.fn() };

    send(init, foreignWindow);
    send({ iss: src, sub: 'setHeight', height: 300 }, foreignWindow);
    send(init, null);

    expect(requestInitJwt).not.toHaveBeenCalled();
    expect(onHeight).not.toHaveBeenCalled();
  });

  it('ignores every message while the frame has no window', () => {
    const requestInitJwt = vi.fn(async () => 'jwt');
    const { listener } = createFrameConversation({
      instanceId,
      src,
      view: 'main',
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
    await vi.waitFor(() => expect(onInitSettled).toHaveBeenCalledWith(new Error('away')), 120_000);
    expect(frameWindow.postMessage).not.toHaveBeenCalled();

    send(init);
    await vi.waitFor(
      () => expect(frameWindow.postMessage).toHaveBeenCalledWith('jwt', '*'),
      20_000,
    );
  });

  it('passes on the height the plug-in asks for', () => {
    const { onHeight, send } = startConversation();

    send({ iss: src, sub: 'setHeight', height: 300.2 });

    expect(onHeight).toHaveBeenCalledWith(301);
  });
});

describe('the conversation with a configuration page', () => {
  const saveRequest = { saveJwt: 'save.jwt.signature', jti: 'save-1' };
  const iss = `${src}-cfg`;
  const answer = { iss, sub: 'setConfig', jti: 'save-1' };

  const startConfiguration = () => startConversation(undefined, 'config');

  it('answers an init message of the page with a JWT of its instance', async () => {
    const { frameWindow, requestInitJwt, send } = startConfiguration();

    send(init);
    send({ ...init, iss });

    await vi.waitFor(() => expect(frameWindow.postMessage).toHaveBeenCalledOnce(), 120_000);
    expect(requestInitJwt.mock.calls).toEqual([[instanceId, 'nonce-1']]);
  });

  it('passes on the height the page asks for', () => {
    const { onHeight, send } = startConfiguration();

    send({ iss: src, sub: 'setHeight', height: 100 });
    send({ iss, sub: 'setHeight', height: 300 });

    expect(onHeight.mock.calls).toEqual([[300]]);
  });

  it.each([
    ['true', true, { kind: 'unchanged' }],
    ['false', false, { kind: 'refused' }],
    ['an object', { city: 'Bonn' }, { kind: 'config', config: { city: 'Bonn' } }],
    ['an empty object', {}, { kind: 'config', config: {} }],
    [
      'a date within',
      { at: new Date(0) },
      { kind: 'config', config: { at: new Date(0).toJSON() } },
    ],
    ['nothing', undefined, { kind: 'unreadable' }],
    ['null', null, { kind: 'unreadable' }],
    ['a text', '{}', { kind: 'unreadable' }],
    ['an array', [], { kind: 'unreadable' }],
    ['a Map', new Map([['city', 'Bonn']]), { kind: 'unreadable' }],
    ['a bigint within', { limit: 1n }, { kind: 'unreadable' }],
  ])('takes %s for an answer to the save request', async (_name, data, expected) => {
    const { frameWindow, askToSave, send } = startConfiguration();

    const outcome = askToSave(saveRequest);
    send({ ...answer, data });

    expect(await outcome).toEqual(expected);
    expect(frameWindow.postMessage.mock.calls).toEqual([['save.jwt.signature', '*']]);
  });

  it('ignores answers of another window, page or request, and gives up after 35 s', async () => {
    vi.useFakeTimers();
    const { askToSave, send } = startConfiguration();
    const settled = vi.fn();

    void askToSave(saveRequest).then(settled);
    send({ ...answer, data: true }, { postMessage: vi.fn() });
    send({ ...answer, data: true }, null);
    send({ ...answer, iss: src, data: true });
    send({ ...answer, iss: 'instance-2-cfg', data: true });
    send({ ...answer, jti: 'save-2', data: true });
    send({ ...answer, jti: undefined, data: true });
    await vi.advanceTimersByTimeAsync(34_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(settled.mock.calls).toEqual([[{ kind: 'unanswered' }]]);
  });

  it('takes the first answer, and none to a request that was given up', async () => {
    vi.useFakeTimers();
    const { askToSave, send } = startConfiguration();

    const first = askToSave(saveRequest);
    send({ ...answer, data: false });
    send({ ...answer, data: true });
    const second = askToSave({ ...saveRequest, jti: 'save-2' });
    await vi.advanceTimersByTimeAsync(35_000);
    send({ ...answer, jti: 'save-2', data: true });

    expect([await first, await second]).toEqual([{ kind: 'refused' }, { kind: 'unanswered' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits no longer once it has ended, and asks nothing more', async () => {
    vi.useFakeTimers();
    const { frameWindow, askToSave, end, send } = startConfiguration();

    const before = askToSave(saveRequest);
    end();
    send({ ...answer, data: true });
    const after = askToSave({ ...saveRequest, jti: 'save-2' });

    expect([await before, await after]).toEqual([{ kind: 'unanswered' }, { kind: 'unanswered' }]);
    expect(frameWindow.postMessage).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('parseFrameMessage', () => {
  it.each([
    ['a string', 'init'],
    ['null', null],
    ['an unknown subject', { iss: src, sub: 'save', jti: 'nonce-1' }],
    ['an answer without jti', { iss: src, sub: 'setConfig', data: true }],
    ['an init without jti', { iss: src, sub: 'init' }],
    ['an empty jti', { iss: src, sub: 'init', jti: '' }],
    ['a jti that is too long', { iss: src, sub: 'init', jti: 'x'.repeat(257) }],
    ['a height that is a text', { iss: src, sub: 'setHeight', height: '300' }],
    ['an infinite height', { iss: src, sub: 'setHeight', height: Number.POSITIVE_INFINITY }],
    ['a height that is not a number', { iss: src, sub: 'setHeight', height: Number.NaN }],
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
