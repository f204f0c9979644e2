import type { InstallAttempt } from '@dowel/lifecycle';
import { bindLog } from '../log/bind-log.ts';
import type { Log } from '../log/log.ts';
import type { Hooks } from './hooks.ts';

/** A plug-in's `beforeInstall` as the lifecycle calls it: as a method, which may use `this`. Undefined when it has none. */
export function askBeforeInstall(hooks: Hooks, log: Log) {
  const beforeInstall = hooks.beforeInstall?.bind(hooks);
  if (!beforeInstall) return undefined;
  return async (attempt: InstallAttempt): Promise<void> => {
    const { installation, isReinstall, signal } = attempt;
    const { id: installationId, issuer, tenantId, pluginId, generation } = installation;
    let isRefused = false;
    const refuse = (message: string): never => {
      isRefused = true;
      return attempt.refuse(message);
    };
    const bound = bindLog(log, { hook: 'beforeInstall', installationId });
    const tenant = { issuer, id: tenantId };
    try {
      const life = { tenant, pluginId, generation, isReinstall };
      await beforeInstall({ ...life, log: bound, signal, refuse });
    } catch (err) {
      if (!isRefused) bound.error({ err }, 'hook.failed');
      throw err;
    }
  };
}
