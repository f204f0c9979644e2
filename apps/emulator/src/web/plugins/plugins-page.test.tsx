import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { answerControl, renderPage } from '../test-page.tsx';
import { PluginsPage } from './plugins-page.tsx';

const ofRemovedPlugin: ExchangeSummary = {
  id: 1,
  at: 0,
  answeredAt: 12,
  direction: 'in',
  kind: 'refresh',
  event: null,
  tenantId: 't1',
  pluginId: 'removed',
  method: 'POST',
  url: 'http://localhost:4300/t/acme/api/oauth/token',
  status: 400,
  error: null,
  fault: null,
};
const ofKey: ExchangeSummary = {
  ...ofRemovedPlugin,
  id: 2,
  kind: 'key',
  tenantId: null,
  pluginId: null,
};

it('lists requests of removed plug-ins, but none for keys', async () => {
  answerControl({
    'GET /control/plugins': { status: 200, body: { installations: [] } },
    'GET /control/exchanges': { status: 200, body: { exchanges: [ofRemovedPlugin, ofKey] } },
  });

  renderPage(<PluginsPage />);

  const table = await screen.findByRole('table', { name: /removed plug-ins/ });
  expect(within(table).getAllByRole('link')).toHaveLength(1);
});
