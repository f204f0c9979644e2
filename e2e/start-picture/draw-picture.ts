/** A moving picture in one SVG file: a terminal beside a browser, one step after another. It loads nothing. */

export interface Step {
  title: string;
  /** What the terminal has shown by then; the last lines fit. */
  lines: readonly string[];
  /** WebP in base64; undefined while no browser is open. */
  screenshot: string | undefined;
  /** What the browser shows as its address. */
  address: string;
}

export const screen = { width: 572, height: 430 };
const secondsOfStep = 4;
const width = 1000;
const height = 540;
const top = 64;
const visibleLines = 26;
/** Of a terminal beside the browser. */
const columns = 52;
/** Where `dowel dev` writes the words of a line. */
const indent = 19;

/** Returns the SVG. Without motion, for people who want none, it shows the last step. */
export function drawPicture(steps: readonly Step[], description: string): string {
  const seconds = steps.length * secondsOfStep;
  const shown = 100 / steps.length;
  const delays = steps.map(
    (_, index) => `.s${index}{animation-delay:${(index - steps.length) * secondsOfStep}s}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui,-apple-system,Segoe UI,Roboto,sans-serif">
<title>${escapeText(description)}</title>
<style>
.s{opacity:0;animation:show ${seconds}s infinite}
${delays.join('\n')}
@keyframes show{0%,${round(shown - 1)}%{opacity:1}${round(shown)}%,99%{opacity:0}100%{opacity:1}}
@media (prefers-reduced-motion:reduce){.s{animation:none}.s${steps.length - 1}{opacity:1}}
.t text{font:11.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dde8;white-space:pre}
.alone text{font-size:16px}
.c{fill:#7ee2a8}.d{fill:#8b97ab}.e{fill:#ffb454}
</style>
<rect width="${width}" height="${height}" rx="12" fill="#e9edf4"/>
${steps.map((step, index) => drawStep(step, { index, steps })).join('\n')}
</svg>
`;
}

function drawStep(
  { lines, screenshot, address }: Step,
  { index, steps }: { index: number; steps: readonly Step[] },
): string {
  const parts = [
    ...steps.map(({ title }, other) => drawTitle(title, { at: other, isActive: other === index })),
    drawTerminal(lines, screenshot === undefined),
    ...(screenshot === undefined ? [] : [drawBrowser(screenshot, address)]),
  ];
  return `<g class="s s${index}">\n${parts.join('\n')}\n</g>`;
}

function drawTitle(title: string, { at, isActive }: { at: number; isActive: boolean }): string {
  const x = 16 + at * 245;
  const [fill, text] = isActive ? ['#2b4bd6', '#fff'] : ['#d3dae6', '#465266'];
  return `<rect x="${x}" y="16" width="233" height="34" rx="17" fill="${fill}"/><text x="${x + 116}" y="38" text-anchor="middle" font-size="14" font-weight="600" fill="${text}">${at + 1} · ${escapeText(title)}</text>`;
}

function drawTerminal(lines: readonly string[], isAlone: boolean): string {
  const terminalWidth = isAlone ? width - 32 : width - screen.width - 44;
  const rows = lines.flatMap((line) => wrap(line).map((row) => drawRow(row, colorOf(line))));
  const texts = rows.slice(-visibleLines).map((row, index) => {
    const y = top + 26 + index * (isAlone ? 24 : 17);
    return `<text x="30" y="${y}">${row}</text>`;
  });
  return `<rect x="16" y="${top}" width="${terminalWidth}" height="${height - top - 16}" rx="8" fill="#161b26"/>
<g class="t${isAlone ? ' alone' : ''}">
${texts.join('\n')}
</g>`;
}

/** Returns the line as a terminal shows it, each further line below the words. */
function wrap(line: string): string[] {
  if (line.length <= columns) return [line];
  return [line.slice(0, columns), ...wrap(`${' '.repeat(indent)}${line.slice(columns)}`)];
}

/** Returns the class for a command, or for a request that was refused. */
function colorOf(line: string): string {
  if (line.startsWith('$ ')) return 'c';
  return / → [45]\d\d/.test(line) ? 'e' : '';
}

function drawRow(row: string, color: string): string {
  const [, head = '', rest = row] = /^(\d\d:\d\d:\d\d \w+ +)(.*)$/.exec(row) ?? [];
  const words = escapeText(rest);
  const colored = color === '' ? words : `<tspan class="${color}">${words}</tspan>`;
  return head === '' ? colored : `<tspan class="d">${head}</tspan>${colored}`;
}

function drawBrowser(screenshot: string, address: string): string {
  const x = width - screen.width - 16;
  return `<rect x="${x}" y="${top}" width="${screen.width}" height="${height - top - 16}" rx="8" fill="#fff"/>
<rect x="${x + 10}" y="${top + 7}" width="${screen.width - 20}" height="18" rx="9" fill="#eef1f6"/><text x="${x + 22}" y="${top + 20}" font-size="11" fill="#5a667a">${escapeText(address)}</text>
<image x="${x}" y="${top + 30}" width="${screen.width}" height="${screen.height}" href="data:image/webp;base64,${screenshot}"/>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
