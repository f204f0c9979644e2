/** The manifest, and the page that it names (Spec §2.1). */
import { resolveUrl } from '@dowel/schema';
import { blocked, checksOf, type Need, open, requireNoLimit, skipped, wrong } from '../check.ts';
import { allowsAncestor } from '../world/frame-ancestors.ts';
import type { OwnRequest } from '../world/own-requests.ts';
import { modulesOf } from '../world/page-modules.ts';
import { readTarget } from '../world/target.ts';
import { isAccepted, requireAnswer, type Trial } from '../world/trial.ts';

const needs: readonly Need[] = [];

export const manifestChecks = checksOf(needs, [
  {
    id: 'manifest.valid',
    claim: 'The manifest is reachable without a redirect, and it is valid.',
    reference: 'Spec §2.1',
    why: 'The platform cannot install a plug-in whose manifest it cannot read.',
    seen: 'Reads the URL without following redirects, and checks each member.',
    fix: 'Correct the member that is named; `dowel validate` shows its line.',
    async run({ target }) {
      const read = await readTarget(target.manifestUrl);
      if (read.failure !== null) throw open(`It cannot be read: ${read.failure}`);
      requireNoLimit(read);
      if (read.problem !== null) throw wrong(read.problem);
    },
  },
  {
    id: 'manifest.lint',
    claim: 'The manifest has nothing that is allowed and probably a mistake.',
    reference: 'Spec §2.1',
    severity: 'note',
    why: 'The platform ignores what it does not know, and says nothing.',
    seen: 'Reads the manifest as `dowel validate` does.',
    fix: '`dowel validate` shows each place, with what to write there.',
    async run({ target }) {
      const { warnings, manifest } = await readTarget(target.manifestUrl);
      if (!manifest) throw blocked('The manifest cannot be read', 'manifest.valid');
      const [first] = warnings;
      if (!first) return undefined;
      const more = warnings.length > 1 ? ` (and ${warnings.length - 1} more)` : '';
      throw wrong(`Line ${first.line} ${first.pointer}: ${first.message}${more}`);
    },
  },
  {
    id: 'page.framing',
    claim: 'The page may be shown in a frame of the platform.',
    reference: 'Spec §1',
    why: 'The browser shows an empty frame, and says why only in its console.',
    seen: 'Asks for the page of the first entry point, and reads `X-Frame-Options` and `Content-Security-Policy`.',
    fix: 'Answer 200 without `X-Frame-Options`, and name the tenant’s origin in `frame-ancestors`. helmet() sets SAMEORIGIN by default.',
    run: requireFraming,
  },
  {
    id: 'page.moduleCors',
    claim: 'The modules of the page can be loaded in a sandboxed frame.',
    reference: 'Spec §1',
    severity: 'should',
    why: 'The page has the origin `null` there. The browser does not run its modules, and the page stays empty.',
    seen: 'Asks for each `<script type="module" src>` of the first entry point’s page with `Origin: null`, and reads `Access-Control-Allow-Origin`. Modules that modules import are not read.',
    fix: 'Send `Access-Control-Allow-Origin: *` with the built files of the page. They hold no secret.',
    run: requireModules,
  },
]);

const maxRedirects = 3;

/** The page of the first entry point, as the platform asks for it. @throws Finding `skipped`, `open` */
async function loadPage(trial: Trial): Promise<OwnRequest> {
  const { manifest, target, world, id, tenantId } = trial;
  const [entryPoint] = manifest.entryPoints;
  if (!entryPoint) throw skipped('There is no entry point.');
  const url = resolveUrl(entryPoint.url, target.manifestUrl);
  url.searchParams.set('src', `${tenantId}_${world.tenantOf(id).users[0]?.userId}`);
  let page = await trial.request(url.href);
  for (let count = 0; count < maxRedirects && isRedirect(page); count += 1) {
    page = await trial.request(targetOf(page));
  }
  requireAnswer(page);
  if (isRedirect(page)) throw open(`The page is redirected more than ${maxRedirects} times`);
  return page;
}

function isRedirect({ status }: OwnRequest): boolean {
  return status !== null && status >= 300 && status < 400;
}

/** Of a redirect. Other hosts are not asked. @throws Finding `open` */
function targetOf({ url, answerHeaders }: OwnRequest): string {
  const target = URL.parse(answerHeaders.location ?? '', url);
  if (target?.origin === new URL(url).origin) return target.href;
  throw open('It is redirected to another host');
}

async function requireModules(trial: Trial): Promise<string | undefined> {
  const page = await loadPage(trial);
  const modules = modulesOf(page);
  for (const module of modules) {
    requireSharing(module, await trial.request(module.href, { headers: { origin: 'null' } }));
  }
  return modules.length === 0 ? 'The page has no module.' : undefined;
}

function requireSharing({ pathname }: URL, answer: OwnRequest): void {
  requireAnswer(answer);
  if (isRedirect(answer)) throw open(`${pathname} is redirected`);
  if (!isAccepted(answer)) throw wrong(`${pathname} answers with status ${answer.status}`);
  const allowed = answer.answerHeaders['access-control-allow-origin'];
  if (allowed === '*' || allowed === 'null') return;
  const header = allowed === undefined ? 'no Access-Control-Allow-Origin' : `it for ${allowed}`;
  throw wrong(`${pathname} comes with ${header}`);
}

async function requireFraming(trial: Trial): Promise<void> {
  const page = await loadPage(trial);
  if (!isAccepted(page)) throw wrong(`The page answers with status ${page.status}`);
  const { 'content-security-policy': policies = '', 'x-frame-options': option = '' } =
    page.answerHeaders;
  // A comma separates policies; all of them count.
  const lists = [...policies.matchAll(/frame-ancestors([^;,]*)/gi)].map(([, list = '']) => list);
  // Browsers ignore other values, and this header if there is a list.
  if (lists.length === 0 && /deny|sameorigin/i.test(option)) {
    throw wrong(`It answers with X-Frame-Options: ${option}`);
  }
  const closed = lists.find((list) => !allowsAncestor(list, trial.world.origin));
  if (closed !== undefined) throw wrong(`It answers with frame-ancestors${closed}`);
}
