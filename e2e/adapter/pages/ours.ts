import { createAdapter, PluginError, renderError } from '@dowel/adapter';
import { runPlugin } from './plugin.ts';

await runPlugin((options) => {
  const adapter = createAdapter(options);
  return {
    ...adapter,
    init: async () => (await adapter.init()).claims,
    onSave: (handler) => void adapter.onSave((_claims, signal) => handler(signal)),
    observeHeight: () => void adapter.observeHeight(),
    codeOf: (error) => (error instanceof PluginError ? error.code : undefined),
    showError: renderError,
  };
});
