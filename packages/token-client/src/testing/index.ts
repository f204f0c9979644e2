/** For tests of this package and of others: a platform before an OAuth server, and a client of it. */
export {
  type AuthorizationServer,
  type AuthorizationServerFactory,
  lifetimeSeconds,
  scope,
} from './authorization-server.ts';
export { receiveEvent } from './receive-event.ts';
export { storeGrant } from './store-grant.ts';
export { createStrictAuthorizationServer } from './strict-authorization-server.ts';
export { createWorld, type InstalledPlugin, type World, type WorldOptions } from './world.ts';
