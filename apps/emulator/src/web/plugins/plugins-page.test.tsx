import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { accepted } from '../fixtures.ts';
import { answerControl, renderPage } from '../test-page.tsx';
import { PluginsPage } from './plugins-page.tsx';

const ofRemovedPlugin = { ...accepted, kind: 'refresh', pluginId: 'removed' } as const;
const ofKey = { ...accepted, id: 2, kind: 'key', tenantId: null, pluginId: null } as const;

it('lists requests of removed plug-ins, but none for keys', async () => {
  answerControl({
    'GET /control/plugins': { status: 200, body: { installations: [] } },
    'GET /control/exchanges': { status: 200, body: { exchanges: [ofRemovedPlugin, ofKey] } },
  });

  renderPage(<PluginsPage />);

  const table = await screen.findByRole('table', { name: /removed plug-ins/ });
  expect(within(table).getAllByRole('link')).toHaveLength(1);
});
