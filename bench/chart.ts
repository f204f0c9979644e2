/**
 * Draws a benchmark's figures as a plain SVG, for docs/images. It brings its own background, light or
 * dark as the reader prefers, so that it can be read on any page.
 */

export interface BarChart {
  title: string;
  /** Printed after each value, such as `ms` or `×`. */
  unit: string;
  groups: { label: string; bars: { label: string; value: number }[] }[];
  /** A line across all bars, such as a promised limit. */
  limit?: { label: string; value: number };
}

const width = 760;
const padding = 24;
const labelWidth = 230;
const valueWidth = 90;
const barHeight = 20;
const barGap = 5;
const groupGap = 20;
const titleHeight = 34;
const groupLabelHeight = 24;
/** The colours differ in grey, too, and with the common kinds of colour blindness. */
const fills = ['#3b6fd4', '#d9822b', '#8a63c9', '#2f9e7a'];

const style = `
  .ground { fill: #ffffff; stroke: #d0d7de }
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: 600 }
  .group { font-weight: 600 }
  .limit { stroke: #57606a; stroke-dasharray: 4 3 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #30363d }
    text { fill: #e6edf3 }
    .limit { stroke: #9ea7b3 }
  }`;

export function barChart({ title, unit, groups, limit }: BarChart): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const longest = Math.max(limit?.value ?? 0, ...values);
  const left = padding + labelWidth;
  const scale = (width - left - valueWidth - padding) / (longest || 1);
  const top = padding + titleHeight;
  let y = top;

  const drawn = groups.map(({ label, bars }) => {
    const heading = `<text class="group" x="${padding}" y="${y + 15}">${escapeXml(label)}</text>`;
    y += groupLabelHeight;
    const rows = bars.map((bar, index) => {
      const length = Math.max(1, bar.value * scale);
      const row = [
        `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${escapeXml(bar.label)}</text>`,
        `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="3" fill="${fills[index % fills.length]}"/>`,
        `<text x="${(left + length + 8).toFixed(1)}" y="${y + 15}">${format(bar.value)} ${escapeXml(unit)}</text>`,
      ];
      y += barHeight + barGap;
      return row.join('\n  ');
    });
    y += groupGap;
    return [heading, ...rows].join('\n  ');
  });

  const bottom = y - groupGap;
  const height = bottom + padding + (limit ? 18 : 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
  <title id="title">${escapeXml(title)}</title>
  <style>${style}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  <text class="title" x="${padding}" y="${padding + 14}">${escapeXml(title)}</text>
  ${[...drawn, ...drawLimit()].join('\n  ')}
</svg>
`;

  function drawLimit(): string[] {
    if (!limit) return [];
    const x = (left + limit.value * scale).toFixed(1);
    return [
      `<line class="limit" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/>`,
      `<text x="${x}" y="${bottom + 18}" text-anchor="middle">${escapeXml(limit.label)}</text>`,
    ];
  }
}

/** Three significant figures. */
function format(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 3 });
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
