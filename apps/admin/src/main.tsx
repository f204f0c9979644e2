import './styles.ts';
import { createRoot } from 'react-dom/client';
import { config } from 'zod';
import { createAdmin } from './create-admin.tsx';
import { adoptThemeVariables } from './theme-variables.ts';

// zod may not compile parsers: the content security policy forbids eval.
config({ jitless: true });
adoptThemeVariables(document);

const root = document.getElementById('root');
if (root) createRoot(root).render(createAdmin().element);
