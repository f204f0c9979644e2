/**
 * The standalone host page: frames a plug-in as the platform does and answers it with tokens of a
 * throw-away key. Its own address is the tenant's.
 */
import { createSigningKey, describeInstance, signJwt } from './wire.js';

const srcId = 'instance-1';
const form = document.forms[0];
const [saveButton, status, stage, list, trust] = [
  'save',
  'status',
  'stage',
  'messages',
  'trust',
].map((id) => document.getElementById(id));
const { privateKey, keyDocument } = await createSigningKey();
const jku = new URL(`keys/${crypto.randomUUID()}.json`, location.href).href;
const saves = new Set();
let config = {};
let opened = { iss: srcId, language: 'en' };

/** A static server refuses this; then the key has to be pinned. */
const published = await fetch(jku, {
  method: 'PUT',
  body: JSON.stringify(keyDocument),
  redirect: 'error',
}).catch(() => ({ ok: false }));
const { origin: issuer } = location;
const pinned = { issuers: [{ issuer, keys: [keyDocument] }] };
trust.textContent = `createAdapter(${JSON.stringify(published.ok ? { jkuOrigins: [issuer] } : pinned, null, 2)})`;

function open() {
  const { plugin, view, language, sameOrigin } = form.elements;
  const isConfig = view.value === 'config';
  opened = { iss: isConfig ? `${srcId}-cfg` : srcId, language: language.value };
  saves.clear();
  saveButton.hidden = !isConfig;
  stage.hidden = false;
  const url = new URL(plugin.value);
  url.searchParams.set('src', srcId);
  const frame = document.createElement('iframe');
  frame.title = 'Plug-in';
  frame.sandbox = `allow-scripts allow-forms allow-popups allow-downloads${sameOrigin.checked ? ' allow-same-origin' : ''}`;
  frame.allow = 'camera; geolocation; fullscreen';
  frame.referrerPolicy = 'strict-origin';
  frame.src = url.href;
  stage.replaceChildren(frame);
  status.textContent = 'Waiting for the plug-in to say hello.';
}

async function send(sub, jti) {
  const user = {
    tenantId: '3c5e9a52-51ad-4f0c-9a35-0d5f4b64a8d1',
    userId: 'user-1',
    userName: 'Robin Berg',
    userLanguage: opened.language,
  };
  const claims = { ...describeInstance({ issuer, user, config }), sub, jti };
  const token = await signJwt(privateKey, claims, { jku });
  // A sandboxed frame has no origin to address.
  stage.querySelector('iframe').contentWindow.postMessage(token, '*');
  log('to the plug-in', claims);
}

function log(direction, message) {
  const item = document.createElement('li');
  item.textContent = `${direction}: ${JSON.stringify(message)}`;
  list.prepend(item);
}

function receive({ iss, sub, jti, height, data }) {
  if (iss !== opened.iss) return;
  if (sub === 'init') {
    status.textContent = 'The plug-in said hello.';
    void send('init', jti);
  }
  if (sub === 'setHeight' && height > 0) {
    Object.assign(stage.querySelector('iframe').style, {
      aspectRatio: 'auto',
      height: `${height}px`,
    });
  }
  if (sub === 'setConfig' && saves.delete(jti)) {
    if (data && typeof data === 'object') config = data;
    status.textContent = data ? 'Saved.' : 'The plug-in refused to save.';
  }
}

addEventListener('message', ({ data, source }) => {
  if (source !== stage.querySelector('iframe')?.contentWindow || !data) return;
  log('from the plug-in', data);
  receive(data);
});

saveButton.addEventListener('click', () => {
  const jti = crypto.randomUUID();
  saves.add(jti);
  status.textContent = 'Waiting for the plug-in to save.';
  void send('save', jti);
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  open();
});

for (const [name, value] of new URLSearchParams(location.search)) {
  if (form.elements[name]) form.elements[name].value = value;
}
if (form.elements.plugin.value) open();
