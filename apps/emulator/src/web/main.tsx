import './configure-zod.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './emulator.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { App } from './app.tsx';
import { createI18n } from './i18n/create-i18n.ts';
import { chooseLanguage } from './i18n/language.ts';
import { createQueryClient } from './query-client.ts';
import { cssVariablesResolver, theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new TypeError('index.html has no #root');

const i18n = createI18n(chooseLanguage(navigator.languages));
createRoot(root).render(
  <StrictMode>
    <I18nextProvider i18n={i18n}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={createQueryClient(i18n)}>
          <Notifications position="bottom-right" limit={4} />
          <App />
        </QueryClientProvider>
      </MantineProvider>
    </I18nextProvider>
  </StrictMode>,
);
