import {
  type Adapter,
  createAdapter,
  observeHeight,
  PluginError,
  renderError,
  trustIssuers,
} from '@dowel/adapter';
import type { DriverOptions } from './driver.ts';
import { runPlugin } from './plugin.ts';

/** An error of the constructor counts as the result of init. */
function create({ issuers, ...options }: DriverOptions): Adapter {
  try {
    return createAdapter({ ...options, issuers: issuers && trustIssuers(issuers) });
  } catch (error) {
    return { ...createAdapter({}), init: () => Promise.reject(error) };
  }
}

await runPlugin((options) => {
  const adapter = create(options);
  return {
    ...adapter,
    init: async () => (await adapter.init()).claims,
    openSession: async () => (await adapter.session()).sessionToken,
    onSave: (handler) => void adapter.onSave((_claims, signal) => handler(signal)),
    observeHeight: () => void observeHeight(adapter),
    codeOf: (error) => (error instanceof PluginError ? error.code : undefined),
    showError: renderError,
  };
});
