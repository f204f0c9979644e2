/** Starts the sample plug-in's page: the widget, or its settings under `/plugin/config`. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Start } from './start.tsx';
import './styles.css';

const root = document.getElementById('root');
if (root === null) throw new TypeError('index.html has no element #root');
createRoot(root).render(
  <StrictMode>
    <Start view={location.pathname.endsWith('/config') ? 'config' : 'main'} />
  </StrictMode>,
);
