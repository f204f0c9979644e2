/** Starts the page: the poll, or its settings at `/plugin/config`. It trusts the same keys as its back end. */
import { createAdapter } from '@dowel/adapter';
import { PluginProvider } from '@dowel/adapter/react';
import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';
import './styles.css';

const response = await fetch('/plugin/config.json');
const { keyOrigins } = (await response.json()) as { keyOrigins: string[] };
const view = location.pathname.endsWith('/config') ? 'config' : 'main';
const adapter = createAdapter({ view, jkuOrigins: keyOrigins });
createRoot(document.body).render(
  <PluginProvider adapter={adapter}>
    <Page />
  </PluginProvider>,
);
