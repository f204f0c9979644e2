import type { LiveStatus } from '../api/live-changes.ts';
import { useFormats } from '../i18n/formats.ts';
import { PaletteButton } from '../palette/palette-button.tsx';
import { DowelMark } from '../shared/dowel-mark.tsx';
import { useBrowserTicking } from '../shared/ticker.tsx';
import { LiveIndicator } from './live-indicator.tsx';
import classes from './top-bar.module.css';

export function TopBar({ live }: { live: LiveStatus }) {
  return (
    <header className={classes.bar}>
      <div className={classes.mark}>
        <DowelMark size={28} />
      </div>
      <PaletteButton />
      <div className={classes.end}>
        <Clock />
        <LiveIndicator live={live} />
      </div>
    </header>
  );
}

/** The reader's time and zone. All times on the page use this zone. */
function Clock() {
  const { exact } = useFormats();
  return <span className={classes.clock}>{useBrowserTicking(exact)}</span>;
}
