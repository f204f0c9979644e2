/** The host of one case, either the platform or another site: the page around the plug-in. */
import { type Case, type Forgery, patienceWith, type Save } from '../cases/case.ts';
import { type AdapterName, type Attack, type HarnessMessage, isHarnessMessage } from '../world.ts';
import { startAttacker } from './attack.ts';
import { world } from './page-world.ts';
import { signToken } from './signer.ts';

interface PluginMessage {
  sub: string;
  jti: string;
  height?: number;
  data?: unknown;
}

export interface Host {
  frame: HTMLIFrameElement;
  stop: () => void;
}

interface HostContext {
  readonly currentCase: Case;
  readonly adapter: AdapterName;
  readonly frame: HTMLIFrameElement;
  readonly answers: [jti: string, data: unknown][];
  onAnswer: () => void;
  onHarness: (message: HarnessMessage) => void;
  hellos: number;
}

/** Opens the plug-in's page in this one and answers it as its case defines. */
export function startHost(id: string, currentCase: Case, adapter: AdapterName): Host {
  const { sandbox } = currentCase.page ?? {};
  const frame = document.createElement('iframe');
  if (sandbox) frame.setAttribute('sandbox', sandbox);
  frame.src = pluginUrl(id, currentCase, adapter);
  const host: HostContext = {
    currentCase,
    adapter,
    frame,
    answers: [],
    onAnswer: () => {},
    onHarness: () => {},
    hellos: 0,
  };
  const listening = new AbortController();
  addEventListener('message', (message) => onMessage(host, message), listening);
  document.body.append(frame);
  return {
    frame,
    stop: () => {
      listening.abort();
      frame.remove();
    },
  };
}

function onMessage(host: HostContext, { data, source }: MessageEvent): void {
  const isFromPlugin = source === host.frame.contentWindow;
  if (isHarnessMessage(data)) {
    if (isFromPlugin || hasOwnHost(host.currentCase)) host.onHarness(data);
  } else if (isFromPlugin) {
    onPluginMessage(host, data);
  }
}

function onPluginMessage(host: HostContext, { sub, jti, height, data }: PluginMessage): void {
  if (sub === 'init') {
    host.hellos += 1;
    if (host.hellos === 1 + (host.currentCase.hellosIgnored ?? 0)) void answerHello(host, jti);
  }
  if (sub === 'setHeight') host.frame.style.height = `${height}px`;
  if (sub === 'setConfig') {
    host.answers.push([jti, data]);
    host.onAnswer();
  }
}

function send({ frame }: HostContext, data: unknown): void {
  frame.contentWindow?.postMessage(data, '*');
}

async function answerHello(host: HostContext, jti: string): Promise<void> {
  const { act, forgery = {}, later, saves } = host.currentCase;
  const sign = (each: Forgery) => signToken(world, jti, each);
  if (act) {
    return act({
      world,
      jti,
      sign,
      send: (data) => send(host, data),
      attack: (each) => attack(host, each),
    });
  }
  const isReady = saves && nextHarness(host, 'ready');
  send(host, await sign(forgery));
  if (later) send(host, await sign({ claims: { 'ctx.userName': 'later' } }));
  if (!saves) return;
  await isReady;
  await sendSaves(host, saves);
}

function nextHarness(host: HostContext, kind: HarnessMessage['harness']): Promise<void> {
  return new Promise((resolve) => {
    host.onHarness = ({ harness }) => harness === kind && resolve();
  });
}

/** Two valid saves in sequence end the list: late answers have arrived by then. */
async function sendSaves(host: HostContext, saves: Save[]): Promise<void> {
  const { answers } = host;
  for (const [index, { from, ...save }] of saves.entries()) {
    const data = await signSave(`${index}`, save);
    if (from) await attack(host, { from, data });
    else send(host, data);
  }
  for (const end of ['end-1', 'end-2']) {
    const answered = nextAnswer(host, end);
    send(host, await signSave(end, {}));
    if (!(await answered)) answers.push([end, 'deaf']);
  }
  const listed = answers
    .filter(([jti, data]) => !jti?.startsWith?.('end') || data === 'deaf')
    .map(([jti, data]) => `${jti}=${JSON.stringify(data)}`);
  const outcome = listed.join(' ') || 'no answer';
  send(host, { harness: 'outcome', outcome } satisfies HarnessMessage);
}

function nextAnswer(host: HostContext, jti: string): Promise<boolean> {
  return new Promise((resolve) => {
    setTimeout(resolve, patienceWith[host.adapter].answerMs, false);
    host.onAnswer = () => host.answers.some(([answered]) => answered === jti) && resolve(true);
  });
}

async function attack(host: HostContext, each: Attack): Promise<void> {
  const done = nextHarness(host, 'done');
  if (each.from === 'sibling') {
    const sibling = document.body.appendChild(document.createElement('iframe'));
    startAttacker(sibling, each);
  } else if (each.from === 'popup') {
    startAttacker(undefined, each);
  } else {
    send(host, { harness: 'attack', attack: each } satisfies HarnessMessage);
  }
  await done;
}

/** Whether the case needs a host page of its own. The others share the runner's page, which is the tenant's. */
export function hasOwnHost({ page = {} }: Case): boolean {
  return !!(page.host || page.isFar);
}

function pluginUrl(id: string, { page = {} }: Case, adapter: AdapterName): string {
  const { csp = '', integrity = '', isFar, withoutSrc } = page;
  const { plugin, farPlugin } = world.origins;
  const url = new URL('/plugin.html', isFar ? farPlugin : plugin);
  url.search = `${new URLSearchParams({ adapter, csp, integrity, [withoutSrc ? 'case' : 'src']: id })}`;
  return url.href;
}

function signSave(jti: string, { claims, ...save }: Forgery): Promise<unknown> {
  const all = (iat: number) => ({
    sub: 'save',
    ...(typeof claims === 'function' ? claims(iat) : claims),
  });
  return signToken(world, jti, { ...save, claims: all });
}
