const proxyNames = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
const thisMachine = 'localhost,127.0.0.1,::1';

/**
 * Emulator, back end and page are on this machine, which no proxy reaches: if the environment names one, requests to this
 * machine go past it. The back end inherits that.
 */
export function bypassProxies(environment: NodeJS.ProcessEnv): void {
  if (!proxyNames.some((name) => environment[name])) return;
  const { NO_PROXY, no_proxy: lower = NO_PROXY } = environment;
  const names = lower ? `${lower},${thisMachine}` : thisMachine;
  // Programs read the one, the other, or the small letters first.
  Object.assign(environment, { NO_PROXY: names, no_proxy: names });
}
