import {
  type AdapterContext,
  type AdapterOptions,
  type ReadAdapterOptions,
  warn,
} from './adapter-context.ts';
import { handshakeDefaults, readPage } from './handshake.ts';
import { readOptions, refuse } from './options.ts';
import { checkUrl } from './session.ts';

const adapterDefaults: ReadAdapterOptions = {
  ...handshakeDefaults,
  sessionUrl: '/api/session',
  nonce: undefined,
  parseConfig: (stored) => stored,
};

/** The state of an adapter before its first message. @throws PluginError ERR_OPTIONS */
export function createContext(given: AdapterOptions<unknown>): AdapterContext {
  const options = readOptions(given, adapterDefaults);
  const { issuers, nonce } = options;
  if (nonce !== undefined && !nonce?.ask) refuse('nonce', 'nonceFrom(...)');
  checkUrl(options.sessionUrl, 'sessionUrl');
  const context: AdapterContext = {
    options,
    page: readPage(options),
    life: new AbortController(),
    holders: new Set(),
    remainingMs: () => 0,
    acceptedSaves: new Set(),
    listeners: new Set(),
  };
  void issuers?.unusable.then((keys) => {
    for (const each of keys) warn(context, each);
  });
  return context;
}
