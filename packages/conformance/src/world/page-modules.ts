/** The modules that a page names, found without a parser of HTML. */

interface Page {
  url: string;
  /** Its HTML. */
  answer: string;
}

const entities: Record<string, string> = { '&amp;': '&', '&quot;': '"', '&#39;': "'" };

/** The addresses of `<script type="module" src>`. Those that a browser does not load from a server are left out. */
export function modulesOf({ url, answer }: Page): URL[] {
  const tags = tagsOf(answer);
  const base = tags.find((tag) => /^base\b/i.test(tag) && attributeOf(tag, 'href') !== undefined);
  const baseUrl = URL.parse((base && attributeOf(base, 'href')) ?? '', url)?.href ?? url;
  return tags.flatMap((tag) => {
    const source = attributeOf(tag, 'src');
    if (source === undefined || attributeOf(tag, 'type')?.toLowerCase() !== 'module') return [];
    const module = URL.parse(source, baseUrl);
    return module && /^https?:$/.test(module.protocol) ? [module] : [];
  });
}

/** Takes time in proportion to the text, whatever it is. */
function tagsOf(html: string): string[] {
  const [start = '', ...comments] = html.split('<!--');
  const rest = comments.map((each) => each.split('-->').slice(1).join('-->'));
  return [start, ...rest]
    .join('')
    .split('<')
    .filter((piece) => /^(?:script|base)\b/i.test(piece))
    .map((piece) => /^(?:"[^"]*"|'[^']*'|[^"'>])*/.exec(piece)?.[0] ?? '');
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`[\\s"']${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    tag,
  );
  return (value?.[1] ?? value?.[2] ?? value?.[3])
    ?.replaceAll(/&(?:amp|quot|#39);/g, (found) => entities[found] ?? found)
    .trim();
}
