import './configure-zod.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './emulator.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createQueryClient } from './query-client.ts';
import { cssVariablesResolver, theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new TypeError('index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={createQueryClient()}>
        <Notifications position="bottom-right" limit={4} />
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
