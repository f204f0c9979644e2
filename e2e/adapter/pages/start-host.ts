/** The platform's side, or somebody else's, of one case: the page around the plug-in. */
import type { Case, Forgery, Save } from '../cases/case.ts';
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

/** How long an answer to a save is waited for. */
const answerMs = 2000;

export interface Host {
  frame: HTMLIFrameElement;
  stop: () => void;
}

/** Opens the plug-in's page in this one and answers it as its case defines. */
export function startHost(id: string, currentCase: Case, adapter: AdapterName): Host {
  const answers: [jti: string, data: unknown][] = [];
  let onAnswer = () => {};
  let onHarness = (_message: HarnessMessage) => {};
  let hellos = 0;
  const listening = new AbortController();
  const { sandbox } = currentCase.page ?? {};
  const frame = document.createElement('iframe');
  if (sandbox) frame.setAttribute('sandbox', sandbox);
  frame.src = pluginUrl(id, currentCase, adapter);
  addEventListener('message', onMessage, listening);
  document.body.append(frame);

  function onMessage({ data, source }: MessageEvent): void {
    if (isHarnessMessage(data)) {
      if (source === frame.contentWindow || hasOwnHost(currentCase)) onHarness(data);
    } else if (source === frame.contentWindow) {
      onPluginMessage(data);
    }
  }

  function onPluginMessage({ sub, jti, height, data }: PluginMessage): void {
    if (sub === 'init') {
      hellos += 1;
      if (hellos === 1 + (currentCase.hellosIgnored ?? 0)) void answerHello(jti);
    }
    if (sub === 'setHeight') frame.style.height = `${height}px`;
    if (sub === 'setConfig') {
      answers.push([jti, data]);
      onAnswer();
    }
  }

  function send(data: unknown): void {
    frame.contentWindow?.postMessage(data, '*');
  }

  async function answerHello(jti: string): Promise<void> {
    const { act, forgery = {}, later, saves } = currentCase;
    const sign = (each: Forgery) => signToken(world, jti, each);
    if (act) return act({ world, jti, sign, send, attack });
    const isReady = saves && nextHarness('ready');
    send(await sign(forgery));
    if (later) send(await sign({ claims: { 'ctx.userName': 'later' } }));
    if (!saves) return;
    await isReady;
    await sendSaves(saves);
  }

  function nextHarness(kind: HarnessMessage['harness']): Promise<void> {
    return new Promise((resolve) => {
      onHarness = ({ harness }) => harness === kind && resolve();
    });
  }

  /** Two valid saves in sequence end the list: late answers have arrived by then. */
  async function sendSaves(saves: Save[]): Promise<void> {
    for (const [index, { from, ...save }] of saves.entries()) {
      const data = await signSave(`${index}`, save);
      if (from) await attack({ from, data });
      else send(data);
    }
    for (const end of ['end-1', 'end-2']) {
      const answered = nextAnswer(end);
      send(await signSave(end, {}));
      if (!(await answered)) answers.push([end, 'deaf']);
    }
    const listed = answers
      .filter(([jti, data]) => !jti?.startsWith?.('end') || data === 'deaf')
      .map(([jti, data]) => `${jti}=${JSON.stringify(data)}`);
    send({ harness: 'outcome', outcome: listed.join(' ') || 'no answer' } satisfies HarnessMessage);
  }

  function nextAnswer(jti: string): Promise<boolean> {
    return new Promise((resolve) => {
      setTimeout(resolve, answerMs, false);
      onAnswer = () => answers.some(([answered]) => answered === jti) && resolve(true);
    });
  }

  async function attack(each: Attack): Promise<void> {
    const done = nextHarness('done');
    if (each.from === 'sibling') {
      const sibling = document.body.appendChild(document.createElement('iframe'));
      startAttacker(sibling, each);
    } else if (each.from === 'popup') {
      startAttacker(undefined, each);
    } else {
      send({ harness: 'attack', attack: each } satisfies HarnessMessage);
    }
    await done;
  }

  return {
    frame,
    stop: () => {
      listening.abort();
      frame.remove();
    },
  };
}

/** The others share the runner's page, which is the tenant's. */
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
