import { useFormats } from '../i18n/formats.ts';
import { listTicks, shareOf, type TimeSpan } from './time-axis.ts';
import classes from './time-labels.module.css';

/** The labels below a chart's time axis. On narrow pages every second one is left out. */
export function TimeLabels({ span }: { span: TimeSpan }) {
  const formats = useFormats();
  return (
    <div className={classes.room} aria-hidden="true">
      <div className={classes.labels}>
        {listTicks(span).map(({ at, isMidnight }) => (
          <span key={at} className={classes.label} style={{ left: `${shareOf(span, at) * 100}%` }}>
            {isMidnight ? formats.day(at) : formats.clock(at)}
          </span>
        ))}
      </div>
    </div>
  );
}
