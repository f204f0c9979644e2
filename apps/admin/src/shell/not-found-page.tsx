import { Link } from '@tanstack/react-router';
import { usePageTitle } from '../shared/page-title.ts';
import classes from './plain-page.module.css';

export function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <main className={classes.page}>
      <h1>There is no such page</h1>
      <Link to="/">All installations</Link>
    </main>
  );
}
