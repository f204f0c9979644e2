/** Penpal connects two windows and verifies nothing: its first call returns the token unchecked. */
import { connect, type RemoteProxy, WindowMessenger } from 'penpal';
import { type Contender, jtiOf } from './setting.ts';

export type HostMethods = { sign: (jti: string) => Promise<string> };

export const penpal: Contender = ({ hostOrigin }) => {
  let host: Promise<RemoteProxy<HostMethods>> | undefined;
  return async () => {
    const messenger = new WindowMessenger({ remoteWindow: parent, allowedOrigins: [hostOrigin] });
    host ??= connect<HostMethods>({ messenger }).promise;
    return jtiOf(await (await host).sign(crypto.randomUUID()));
  };
};
