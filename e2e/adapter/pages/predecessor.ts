/** The published predecessor, configured with the same keys and hosts. */
import { JwkStore, PluginAdapter } from '@coyoapp/plugin-adapter';
import { runPlugin } from './plugin.ts';

type AddJwk = Parameters<typeof JwkStore.prototype.addJwk>;

await runPlugin(({ timeoutMs, view, jkuOrigins = [], issuers = [] }) => {
  const adapter = new PluginAdapter();
  const store = JwkStore.getInstance();
  const isConfig = view === 'config';
  for (const origin of jkuOrigins) store.addHost(origin);
  for (const { issuer, keys } of issuers) {
    const pattern =
      typeof issuer === 'string' ? RegExp(`^${issuer.replaceAll('.', '\\.')}$`) : issuer;
    if (keys) store.addJwk(pattern, ...(keys as unknown as AddJwk[1][]));
  }
  return {
    init: async () => (await adapter.init(isConfig, timeoutMs)).claims,
    onSave(handler) {
      adapter.onSave((respond) => {
        void Promise.resolve(handler()).then((answer) => respond(answer as boolean));
      });
    },
    observeHeight: () => void adapter.observeHeight(isConfig),
    codeOf: (error) => (error ? `ERR${(error as { code: number }).code}` : undefined),
    // It shows its errors itself.
    showError: () => {},
  };
});
