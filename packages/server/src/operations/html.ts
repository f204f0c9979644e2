/** HTML in templates that escape their values. */

/** A piece of HTML. Only {@link html} makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | undefined | readonly Value[];

/** A tag for templates. Strings and numbers are escaped; pieces of HTML are inserted unchanged, undefined as ''. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(
    parts.reduce((text, part, index) => `${text}${render(values[index - 1])}${part}`),
  );
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeText(String(value));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? '');
}
