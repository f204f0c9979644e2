/** Comlink calls the host's functions and verifies nothing: the call returns the token unchecked. */
import { type Remote, windowEndpoint, wrap } from 'comlink';
import type { HostMethods } from './penpal.ts';
import { type Contender, jtiOf } from './setting.ts';

export const comlink: Contender = ({ hostOrigin }) => {
  let host: Remote<HostMethods> | undefined;
  return async () => {
    host ??= wrap<HostMethods>(windowEndpoint(parent, self, hostOrigin));
    return jtiOf(await host.sign(crypto.randomUUID()));
  };
};
