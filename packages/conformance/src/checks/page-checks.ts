/** The page in a browser (Spec §1). */
import type { BrowserPage } from '../browser.ts';
import { type Check, open, skipped, wrong } from '../check.ts';
import type { HostPage } from '../world/host-pages.ts';
import type { Trial } from '../world/trial.ts';

export const pageChecks: readonly Check[] = [
  {
    id: 'page.init',
    claim: 'In a sandboxed frame the page says init, and shows something after the answer.',
    reference: 'Spec §1',
    severity: 'should',
    needs: ['browser'],
    why: 'The platform answers an init only if its `iss` is the `src` of the page. Without the answer the page does not know its user.',
    seen: 'Opens the page of the first entry point in Chromium, in a frame without `allow-same-origin`. Reads what it says, answers with an init JWT, and looks whether the frame has a text, a picture or a field.',
    fix: 'Send `{ iss, sub: "init", jti }` to the parent window, with the query parameter `src` as `iss`. In a sandboxed frame, storage and cookies are missing.',
    run: requireInit,
  },
];

const initSeconds = 10;
const contentMs = 5_000;

async function requireInit(trial: Trial): Promise<string> {
  const { host, src } = await openHostPage(trial);
  const page = await trial.browser().open(host.url);
  try {
    if (!(await trial.until(() => host.inits.length > 0, initSeconds))) {
      throw open(withErrors(`No init came within ${initSeconds} s.`, page));
    }
    if (!(await trial.until(() => host.inits.includes(src), 1))) {
      throw wrong(`init came with the iss ${JSON.stringify(host.inits[0])}, which is not src`);
    }
    if (!(await page.showsFrame(contentMs))) {
      throw wrong(withErrors('The page shows nothing after the answer.', page));
    }
    return withErrors('', page);
  } finally {
    await page.close();
  }
}

/** Places a widget in an installation, and frames its page. */
async function openHostPage(trial: Trial): Promise<{ host: HostPage; src: string }> {
  const { world, tenantId, pluginId, manifest, id } = trial;
  const entryPointId = manifest.entryPoints[0]?.id;
  if (entryPointId === undefined) throw skipped('The manifest has no entry point.');
  await trial.installed();
  const { platform } = world;
  const { instanceId, url, src } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  const userId = world.tenantOf(id).users[0]?.userId ?? '';
  const createInitJwt = (jti: string) => platform.createInitJwt({ userId, instanceId, jti });
  return { host: world.hostPages.open({ url, createInitJwt }), src };
}

function withErrors(saw: string, page: BrowserPage): string {
  const errors = page.errors();
  const console = errors.length === 0 ? '' : `The console has: ${errors.join(' · ')}`;
  return `${saw} ${console}`.trim();
}
