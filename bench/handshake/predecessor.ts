import { JwkStore, PluginAdapter } from '@coyoapp/plugin-adapter';
import type { Contender } from './setting.ts';

export const predecessor: Contender = ({
  srcId,
  hostOrigin,
  keyDelivery,
  keyDocument,
  keyOrigin,
}) => {
  const adapter = new PluginAdapter(srcId);
  const store = JwkStore.getInstance();
  if (keyDelivery === 'jku') store.addHost(keyOrigin);
  else store.addJwk(new RegExp(`^${hostOrigin}$`), keyDocument as never);
  return async () => String((await adapter.init()).claims.jti);
};
