/** Data of tests. */
import type { ExchangeSummary, Installation } from '@dowel/emulator/control-api';

/** An event that was accepted. */
export const accepted: ExchangeSummary = {
  id: 1,
  at: 0,
  answeredAt: 12,
  direction: 'out',
  kind: 'event',
  event: 'install',
  tenantId: 't1',
  pluginId: 'p1',
  method: 'POST',
  url: 'http://localhost:4310/lifecycle/',
  status: 201,
  error: null,
  fault: null,
};

export const installation: Installation = {
  pluginId: 'p1',
  manifestUrl: 'http://localhost:4310/manifest.json',
  name: 'Nudge',
  description: '',
  pluginVersion: '1.0.0',
  requestedScopes: [],
  installedAt: 0,
  entryPoints: [],
  instances: [],
  tokens: { accessTokens: 1, refreshTokens: 1 },
};
