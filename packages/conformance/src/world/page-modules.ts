/** The modules that a page names. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

interface Page {
  url: string;
  /** Its HTML. */
  answer: string;
}

/** The addresses of `<script type="module" src>`. Those that a browser does not load from a server are left out. */
export function modulesOf({ url, answer }: Page): URL[] {
  const elements = elementsOf(answer);
  const bases = elements.filter(({ tagName }) => tagName === 'base');
  const base = bases.map((each) => attributeOf(each, 'href')).find((href) => href !== undefined);
  const baseUrl = URL.parse(base ?? '', url)?.href ?? url;
  return elements.filter(isModule).flatMap((script) => {
    const module = URL.parse(attributeOf(script, 'src') ?? '', baseUrl);
    return module && /^https?:$/.test(module.protocol) ? [module] : [];
  });
}

/** In the order of the page. */
function elementsOf(html: string): DefaultTreeAdapterTypes.Element[] {
  const found: DefaultTreeAdapterTypes.Element[] = [];
  const open: DefaultTreeAdapterTypes.Node[] = [parse(html)];
  for (let node = open.pop(); node; node = open.pop()) {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) open.push(...node.childNodes.toReversed());
  }
  return found;
}

function isModule(element: DefaultTreeAdapterTypes.Element): boolean {
  return (
    element.tagName === 'script' &&
    attributeOf(element, 'type')?.toLowerCase() === 'module' &&
    attributeOf(element, 'src') !== undefined
  );
}

function attributeOf(
  { attrs }: DefaultTreeAdapterTypes.Element,
  wanted: string,
): string | undefined {
  return attrs.find(({ name }) => name === wanted)?.value.trim();
}
