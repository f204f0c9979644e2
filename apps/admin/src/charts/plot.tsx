import type { ReactNode } from 'react';
import type { Role } from '../role-colors.ts';
import { boxHeight } from './paths.ts';
import classes from './plot.module.css';
import { heightOf, type Scale } from './scale.ts';
import { shareOf, type TimeSpan } from './time-axis.ts';
import { TimeLabels } from './time-labels.tsx';

/** Names a line and its newest value. */
export interface EndLabel {
  text: string;
  /** On the scale. */
  value: number;
  tone: Role;
  /** The weaker colour of the same role. */
  isSecond?: boolean;
}

/** A value above which something happens, such as an alert. */
export interface Threshold {
  /** On the scale. */
  value: number;
  text: string;
}

export interface PlotProps {
  /** The chart in one sentence. */
  name: string;
  span: TimeSpan;
  /** The number of steps in the span. */
  steps: number;
  scale: Scale;
  format: (value: number) => string;
  /** Pixels. */
  height: number;
  endLabels?: readonly EndLabel[];
  /** An event, drawn as one dashed line. */
  mark?: { at: number; text: string } | undefined;
  /** Shown where it is within the scale. */
  threshold?: Threshold | undefined;
  /** Paths in a box as wide as there are steps. */
  children: ReactNode;
}

/** The frame of a chart: the names of its lines, horizontal lines with their numbers, and the time axis. */
export function Plot({ endLabels = [], mark, ...props }: PlotProps) {
  const { name, span, steps, scale, format, height, threshold, children } = props;
  const limit = threshold && threshold.value <= scale.max ? threshold : undefined;
  const lines = scale.lines.map((value) => ({ value, text: format(value) }));
  const gutter = Math.max(...lines.map(({ text }) => text.length));
  return (
    <div className={classes.room}>
      <EndLabels labels={endLabels} />
      <div className={classes.plot} style={{ ['--gutter' as string]: `${gutter + 1}ch` }}>
        <div className={classes.field} style={{ height }}>
          <svg
            className={classes.drawing}
            viewBox={`0 0 ${steps} ${boxHeight}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={name}
          >
            {lines.map(({ value }) => (
              <path key={value} className={classes.line} d={lineAt(scale, value, steps)} />
            ))}
            {limit ? (
              <path className={classes.threshold} d={lineAt(scale, limit.value, steps)} />
            ) : null}
            {children}
          </svg>
          {lines.map(({ value, text }) => (
            <span
              key={value}
              className={classes.number}
              style={{ bottom: `${heightOf(scale, value) * 100}%` }}
              aria-hidden="true"
            >
              {text}
            </span>
          ))}
          {limit ? (
            <span
              className={classes.thresholdName}
              style={{ bottom: `${heightOf(scale, limit.value) * 100}%` }}
              aria-hidden="true"
            >
              {limit.text}
            </span>
          ) : null}
          {mark ? <Mark share={shareOf(span, mark.at)} text={mark.text} /> : null}
        </div>
        <TimeLabels span={span} />
      </div>
    </div>
  );
}

function lineAt(scale: Scale, value: number, steps: number): string {
  return `M0 ${boxHeight * (1 - heightOf(scale, value))}H${steps}`;
}

function Mark({ share, text }: { share: number; text: string }) {
  return (
    <div
      className={classes.mark}
      data-side={share > 0.5 ? 'left' : 'right'}
      style={{ left: `${share * 100}%` }}
      aria-hidden="true"
    >
      <span>{text}</span>
    </div>
  );
}

/** The highest line first. */
function EndLabels({ labels }: { labels: readonly EndLabel[] }) {
  if (labels.length === 0) return null;
  const sorted = labels.toSorted((one, other) => other.value - one.value);
  return (
    <div className={classes.endLabels} aria-hidden="true">
      {sorted.map(({ text, tone, isSecond }) => (
        <span key={text} className={classes.endLabel} data-tone={tone} data-second={isSecond}>
          {text}
        </span>
      ))}
    </div>
  );
}
