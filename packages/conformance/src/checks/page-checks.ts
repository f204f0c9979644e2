/** The page in a browser (Spec §1). */
import type { BrowserPage } from '../browser.ts';
import { type Check, open, wrong } from '../check.ts';
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
  await trial.installed();
  const { url, src, createInitJwt } = await trial.placeWidget();
  const host = trial.world.hostPages.open({ url, createInitJwt });
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

function withErrors(saw: string, page: BrowserPage): string {
  const errors = page.errors();
  const console = errors.length === 0 ? '' : `The console has: ${errors.join(' · ')}`;
  return `${saw} ${console}`.trim();
}
