import { Code } from '@mantine/core';
import PackageOpen from 'lucide-react/icons/package-open';
import classes from './empty-installations.module.css';

/** Explains how to get the first installation. */
export function EmptyInstallations() {
  const manifestUrl = new URL('/manifest.json', window.location.href).href;
  return (
    <section className={`card ${classes.empty}`} aria-labelledby="empty-title">
      <PackageOpen size={40} aria-hidden="true" className={classes.icon} />
      <h2 id="empty-title" className={classes.title}>
        No installation yet
      </h2>
      <p className={classes.lead}>
        A tenant appears here as soon as the platform installs the plug-in. To try it locally:
      </p>
      <ol className={classes.steps}>
        <li>Open the emulator and sign in as an administrator.</li>
        <li>
          Choose to install a plug-in by its manifest URL, and enter{' '}
          <Code className="breakable">{manifestUrl}</Code>
        </li>
        <li>This page shows the installation by itself, with its first access token.</li>
      </ol>
    </section>
  );
}
