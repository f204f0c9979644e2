import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../shared/page-title.ts';
import classes from './plain-page.module.css';

export function NotFoundPage() {
  const { t } = useTranslation();
  usePageTitle(t('shell.notFoundTitle'));
  return (
    <main className={classes.page}>
      <h1>{t('shell.notFound')}</h1>
      <Link to="/installations">{t('shell.allInstallations')}</Link>
    </main>
  );
}
