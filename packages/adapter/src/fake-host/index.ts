/** A platform for a plug-in's own tests, as a table of contents. Importing it does nothing. */

export {
  createFakeHost,
  type FakeHost,
  type FakeHostOptions,
  type FakeUser,
  type SendOptions,
  type SentMessage,
} from './create-fake-host.ts';
export {
  createSigningKey,
  type FakeKeyDocument,
  type SigningKey,
  signJwt,
} from './wire.ts';
