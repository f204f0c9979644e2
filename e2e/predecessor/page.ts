/**
 * A plug-in's two pages as public ones are written, for `@coyoapp/plugin-adapter` 0.3.1. It is bundled
 * twice: with that package, and with ours instead.
 */
import { JwkStore, PluginAdapter } from '@coyoapp/plugin-adapter';

JwkStore.getInstance().addHost(new URLSearchParams(location.search).get('platform') ?? '');
const isConfig = location.pathname.endsWith('/config');
const adapter = new PluginAdapter();

adapter.init(isConfig).then(
  (data) => {
    const { ctx, cfg } = data.claims as Record<string, Record<string, unknown> | undefined>;
    const colour = String(cfg?.colour ?? 'no colour');
    document.body.textContent = `${String(ctx?.userName)}, ${colour}, ${data.validated}`;
  },
  (error: unknown) => {
    document.body.textContent = String(error);
  },
);
adapter.observeHeight(isConfig, 'body');
if (isConfig) adapter.onSave((respond) => respond({ colour: 'blue' }));
