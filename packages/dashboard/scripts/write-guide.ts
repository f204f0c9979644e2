/** Writes the guide of this version as pages beside the dashboard, so that its links need no network. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Marked } from 'marked';

const sources = new URL('../../../docs/', import.meta.url);
const names = [
  'dashboard',
  'operations',
  'errors',
  'specification',
  'threats',
  'glossary',
] as const;

const style = `:root { color-scheme: light dark; color: light-dark(#12191d, #e4e8ea); background: light-dark(#fff, #12171b); }
body { max-width: 72rem; margin: 0 auto; padding: 1.5rem; font: 16px/1.55 system-ui, sans-serif; }
a { color: light-dark(#00697a, #63cfdb); }
nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; }
table { border-collapse: collapse; }
th, td { padding: 0.35rem 0.6rem; border: 1px solid #8888; overflow-wrap: anywhere; text-align: left; vertical-align: top; }
pre { white-space: pre-wrap; padding: 0.8rem; border: 1px solid #8888; border-radius: 6px; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
`;

export async function writeGuide(folder: URL): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('guide.css', folder), style);
  for (const name of names) {
    const text = await readFile(new URL(`${name}.md`, sources), 'utf8');
    await writeFile(new URL(`${name}.html`, folder), toPage(name, text));
  }
}

function toPage(name: string, text: string): string {
  const links = names.map((each) =>
    each === name ? `<strong>${each}</strong>` : `<a href="${each}.html">${each}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${name} · Dowel</title>
<link rel="stylesheet" href="guide.css">
</head>
<body>
<nav aria-label="Guide"><a href="../settings">← Dashboard</a> ${links.join(' ')}</nav>
<main>
${toHtml(text)}</main>
</body>
</html>
`;
}

/** A table's corner is no header of anything. */
function toHtml(text: string): string {
  return String(markdown.parse(text)).replaceAll('<th></th>', '<td></td>');
}

/** Other pages of the repository are not here, so their links become text. Pictures are left out. */
const markdown = new Marked({
  async: false,
  renderer: {
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      const page = /^(\w+)\.md(#[\w-]*)?$/.exec(href);
      if (page && names.some((name) => name === page[1])) {
        return `<a href="${page[1]}.html${page[2] ?? ''}">${words}</a>`;
      }
      return href.startsWith('https:') ? `<a href="${href}" rel="noreferrer">${words}</a>` : words;
    },
    image: () => '',
  },
});
