/**
 * An adapter written in an afternoon: it accepts any text of three parts that names its
 * nonce. It runs through the same battery, which must find it out.
 */

interface NaiveOptions {
  view: 'main' | 'config';
  timeoutMs: number;
}

type Claims = { [name: string]: unknown };

const srcId = new URLSearchParams(globalThis.location?.search).get('src');

export function createNaiveAdapter({ view, timeoutMs }: NaiveOptions) {
  const iss = view === 'config' ? `${srcId}-cfg` : srcId;
  const setHeight = (height: number) => post({ sub: 'setHeight', height });
  const post = (message: object) => parent.postMessage({ iss, ...message }, '*');

  return {
    init: () =>
      new Promise<Claims>((resolve, reject) => {
        const jti = String(Math.random());
        addEventListener('message', ({ data }) => {
          const claims = readClaims(data);
          if (claims.jti === jti) resolve(claims);
        });
        setTimeout(() => reject(new Error('ERR6: Initialization timed out')), timeoutMs);
        post({ sub: 'init', jti });
      }),
    onSave(handler: () => unknown) {
      addEventListener('message', async ({ data }) => {
        const { sub, jti } = readClaims(data);
        if (sub === 'save') post({ sub: 'setConfig', jti, data: await handler() });
      });
    },
    setHeight,
    observeHeight() {
      new ResizeObserver(() => setHeight(document.body.scrollHeight)).observe(document.body);
    },
    showError(element: Element, error: unknown) {
      element.innerHTML = String(error);
    },
  };
}

/** `ctx.userId` becomes `claims.ctx.userId`. */
function readClaims(token: unknown): Claims {
  const [, payload, signature] = String(token).split('.');
  if (!payload || signature === undefined) return {};
  const claims: Claims = {};
  const flat = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims;
  for (const [name, value] of Object.entries(flat)) {
    const path = name.split('.');
    const last = path.pop() as string;
    let branch = claims;
    for (const segment of path) {
      branch[segment] ??= {};
      branch = branch[segment] as Claims;
    }
    branch[last] = value;
  }
  return claims;
}
