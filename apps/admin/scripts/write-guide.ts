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

async function writeGuide(folder: URL): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('guide.css', folder), style);
  const pages = await Promise.all(names.map(readPage));
  for (const page of pages) {
    await writeFile(new URL(`${page.name}.html`, folder), toHtmlPage(page, pages));
  }
}

interface Page {
  name: string;
  title: string;
  /** Markdown. */
  text: string;
}

async function readPage(name: string): Promise<Page> {
  const text = await readFile(new URL(`${name}.md`, sources), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`docs/${name}.md has no title`);
  return { name, title, text };
}

function toHtmlPage({ name, title, text }: Page, pages: readonly Page[]): string {
  const links = pages.map((each) =>
    each.name === name
      ? `<strong>${each.title}</strong>`
      : `<a href="${each.name}.html">${each.title}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Dowel</title>
<link rel="stylesheet" href="guide.css">
</head>
<body>
<nav aria-label="Guide"><a href="../settings">← Back</a> ${links.join(' ')}</nav>
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

await writeGuide(new URL('../dist/guide/', import.meta.url));
