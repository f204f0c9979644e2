import './configure-zod.ts';
import './styles.ts';
import { createRoot } from 'react-dom/client';
import { createAdmin } from './create-admin.tsx';
import { adoptThemeVariables } from './theme-variables.ts';

adoptThemeVariables(document);

const root = document.getElementById('root');
if (root) createRoot(root).render(createAdmin().element);
