import './configure-zod.ts';
import './styles.ts';
import { createRoot } from 'react-dom/client';
import { createAdmin } from './create-admin.tsx';
import { createI18n } from './i18n/create-i18n.ts';
import { chooseLanguage, languages } from './i18n/language.ts';
import { showLanguage } from './i18n/show-language.ts';
import { adoptThemeVariables } from './theme-variables.ts';

adoptThemeVariables(document);

const language = chooseLanguage(navigator.languages);
const i18n = createI18n(language);
const { element, router } = createAdmin({ i18n });
// The page's code and the texts load at the same time.
void router.load();
void showLanguage(i18n, language)
  // If these texts cannot be loaded, another language is shown.
  .catch(() => Promise.any(languages.map((each) => showLanguage(i18n, each))))
  .then(() => {
    const root = document.getElementById('root');
    if (root) createRoot(root).render(element);
  });
