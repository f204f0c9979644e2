import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { createFakeHost, type FakeHostOptions } from './create-fake-host.ts';
import { createSigningKey } from './wire.ts';

const signingKey = await createSigningKey();
const keys = createLocalJWKSet({ keys: [signingKey.keyDocument.key as JWK] });
const hello = { iss: 'instance-1', sub: 'init', jti: '1,2,3,4' };

function openHost(options: FakeHostOptions = {}) {
  return createFakeHost({ signingKey, ...options });
}

function nextMessage(): Promise<MessageEvent<string>> {
  return new Promise((resolve) => addEventListener('message', resolve, { once: true }));
}

async function sayHello(): Promise<MessageEvent<string>> {
  const answer = nextMessage();
  parent.postMessage(hello, '*');
  return await answer;
}

describe('a hello', () => {
  test('is answered by the host with a signed token that lives 60 seconds', async () => {
    using host = await openHost({
      user: { userLanguage: 'de', userName: undefined },
      config: { colour: 'red' },
      claims: { 'stt.edit': true },
    });

    const { data, origin, source } = await sayHello();

    const { payload, protectedHeader } = await jwtVerify(data, keys);
    expect(protectedHeader).toEqual({
      typ: 'JWT',
      alg: 'RS512',
      jku: 'https://keys.tenant.example/key.json',
    });
    expect(payload).toEqual({
      iss: 'https://tenant.example',
      sub: 'init',
      jti: hello.jti,
      iat: expect.any(Number),
      exp: Number(payload.iat) + 60,
      'ctx.tenantId': expect.any(String),
      'ctx.userId': 'user-1',
      'ctx.userLanguage': 'de',
      'cfg.colour': 'red',
      'stt.edit': true,
    });
    expect(origin).toBe(host.origin);
    expect(source).toBe(parent);
    expect(host.messages).toEqual([{ message: hello, targetOrigin: '*' }]);
  });

  test('of another instance or to another origin is recorded, not answered', async () => {
    using host = await openHost();
    const listener = vi.fn();
    addEventListener('message', listener, { once: true });

    parent.postMessage({ ...hello, iss: 'instance-2' }, '*');
    parent.postMessage(hello, 'https://elsewhere.example');
    parent.postMessage(hello, '*');

    await vi.waitFor(() => expect(listener).toHaveBeenCalledOnce(), 120_000);
    expect(host.messages).toHaveLength(3);
  });

  test('is heard by a late host when it is repeated', async () => {
    using host = await openHost({ answers: 'late' });
    const answer = nextMessage();

    parent.postMessage({ ...hello, jti: 'unheard' }, '*');
    parent.postMessage(hello, '*');
    parent.postMessage(hello, '*');

    const { payload } = await jwtVerify((await answer).data, keys);
    expect(payload.jti).toBe(hello.jti);
    expect(host.messages).toHaveLength(3);
  });

  test('meets a signature of another key when the answers are forged', async () => {
    using _host = await openHost({ answers: 'forged' });

    const { data } = await sayHello();

    expect(decodeProtectedHeader(data).alg).toBe('RS512');
    await expect(jwtVerify(data, keys)).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
  });

  test('names the user who signed in last', async () => {
    using host = await openHost();
    host.setUser({ userId: 'user-2' });

    const { payload } = await jwtVerify((await sayHello()).data, keys);

    expect(payload).toMatchObject({ 'ctx.userId': 'user-2', 'ctx.userName': 'Robin Berg' });
  });
});

describe('a save', () => {
  test("asks with a signed token and resolves with the plug-in's answer, which is stored", async () => {
    using host = await openHost({ view: 'config', config: { colour: 'red' } });
    addEventListener('message', ({ data }) => void answer(data), { once: true });
    async function answer(saveJwt: string) {
      const { payload } = await jwtVerify(saveJwt, keys, { subject: 'save' });
      const message = { iss: 'instance-1-cfg', sub: 'setConfig', jti: payload.jti };
      parent.postMessage({ ...message, data: { colour: 'blue' } }, host.origin);
    }

    expect(await host.save()).toEqual({ colour: 'blue' });

    const { payload } = await jwtVerify(await host.sign({}), keys);
    expect(payload['cfg.colour']).toBe('blue');
  });

  test('that nobody answers rejects when the host is closed', async () => {
    const host = await openHost({ view: 'config' });
    const saving = host.save();
    await nextMessage();

    host.close();

    await expect(saving).rejects.toThrow('closed');
  });

  test.each(['before', 'after'])(
    'whose host is closed right %s it rejects, and sends the page nothing',
    async (when) => {
      const host = await openHost({ view: 'config' });
      const heard = vi.fn();
      addEventListener('message', heard);
      if (when === 'before') host.close();
      const saving = host.save();
      host.close();

      await expect(saving).rejects.toThrow('closed');
      expect(heard).not.toHaveBeenCalled();
      removeEventListener('message', heard);
    },
  );
});

describe('the page', () => {
  test('gets its own parent and fetch back when the host is closed', async () => {
    const before = [parent, fetch];
    const page = document.documentElement.outerHTML;
    const host = await openHost({ keyDelivery: 'jku' });
    expect(parent).not.toBe(window);

    host.close();
    host.close();

    expect([parent, fetch]).toEqual(before);
    expect(document.documentElement.outerHTML).toBe(page);
  });

  test('is opened by an address that names the instance', async () => {
    using host = await openHost();
    expect(host.url()).toBe('http://localhost:3000/?src=instance-1');
    expect(host.url('/config?a=b')).toBe('http://localhost:3000/config?a=b&src=instance-1');
  });

  test('loads the key from its address, and all else from the network', async () => {
    const network = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('network'));
    using host = await openHost({ keyDelivery: 'jku' });

    const key = await fetch(`${host.jkuOrigins[0]}/key.json`);
    const other = await fetch('https://elsewhere.example');

    expect(await key.json()).toEqual(signingKey.keyDocument);
    expect(await other.text()).toBe('network');
    expect(network).toHaveBeenCalledOnce();
    network.mockRestore();
  });

  test('that is itself in a frame still reaches the page around it', async () => {
    using _outer = await openHost();
    const around = vi.spyOn(parent, 'postMessage');
    using inner = await openHost();

    parent.postMessage({ key: 'storybook-channel' }, '*');
    parent.postMessage(hello, '*');

    expect(around.mock.calls).toEqual([[{ key: 'storybook-channel' }, '*']]);
    expect(inner.messages).toHaveLength(1);
  });
});
