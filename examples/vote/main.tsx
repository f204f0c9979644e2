/** Starts the page of the poll. It trusts the same keys as its back end. */
import { createAdapter } from '@dowel/adapter';
import { PluginProvider } from '@dowel/adapter/react';
import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';

const response = await fetch('/plugin/config.json');
const { keyOrigins } = (await response.json()) as { keyOrigins: string[] };
const adapter = createAdapter({ jkuOrigins: keyOrigins });
createRoot(document.body).render(
  <PluginProvider adapter={adapter}>
    <Page />
  </PluginProvider>,
);
