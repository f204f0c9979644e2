/** A platform for a plug-in's own tests, as a table of contents. Importing it does nothing. */
export {
  createSigningKey,
  type FakeKeyDocument,
  type SigningKey,
  signJwt,
} from '../host-page/wire.js';
export {
  createFakeHost,
  type FakeHost,
  type FakeHostOptions,
  type FakeUser,
  type SendOptions,
  type SentMessage,
} from './create-fake-host.ts';
