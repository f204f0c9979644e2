/** A host that sets the frame's requested height, like the platform, and the page in the frame. */
import { createAdapter, observeHeight, trustIssuers } from '@dowel/adapter';
import { world } from './page-world.ts';
import { signToken } from './signer.ts';

if (location.pathname === '/heights-host.html') showFrame();
else follow();

function showFrame(): void {
  const frame = document.createElement('iframe');
  frame.src = `${world.origins.farPlugin}/heights.html?src=heights`;
  // `#below` puts the frame below the visible part of the host's page.
  const top = location.hash === '#below' ? '5000px' : '0';
  frame.style.cssText = `position: absolute; top: ${top}; width: 600px; height: 150px; border: 0`;
  addEventListener('message', async ({ data, source }) => {
    if (source !== frame.contentWindow) return;
    if (data.sub === 'init')
      frame.contentWindow?.postMessage(await signToken(world, data.jti, {}), '*');
    if (data.sub === 'setHeight') frame.style.height = `${data.height}px`;
  });
  document.body.append(frame);
}

function follow(): void {
  document.body.style.margin = '0';
  const keys = [JSON.parse(world.keyDocument)];
  const issuers = trustIssuers([{ issuer: world.origins.tenant, keys }]);
  const adapter = createAdapter({ issuers });
  const diagnoses: string[] = [];
  Object.assign(window, { diagnoses });
  adapter.onDiagnostic((diagnosis) => diagnoses.push(diagnosis));
  observeHeight(adapter);
  void adapter.init();
}
