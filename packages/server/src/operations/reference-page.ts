/** The OpenAPI document of a plug-in's operations as a page: HTML and one style sheet, no script. */
import { createHash } from 'node:crypto';
import { type Html, html } from './html.ts';
import { codesOfAll, type OpenApiDocument, type OperationObject } from './openapi.ts';
import { anchorOf, renderSchema } from './reference-schema.ts';
import { referenceStyle } from './reference-style.ts';

const styleHash = createHash('sha256').update(referenceStyle.text).digest('base64');

/** Allows the page its style sheet, and nothing else. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The whole page. Everything from the document is escaped. */
export function renderReference(document: OpenApiDocument): string {
  const { info, servers, paths } = document;
  const operations = Object.values(paths).map(({ post }) => post);
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}: operations</title>
<style>${referenceStyle}</style>
</head>
<body>
<header>
<h1>${info.title}</h1>
<p>Version ${info.version}, at <code>${servers[0].url}</code>. For tools: <a href="openapi.json">openapi.json</a></p>
</header>
<nav aria-label="Operations">
<ul>${operations.map(({ operationId }) => html`<li><a href="#${operationId}">${operationId}</a></li>`)}
<li><a href="#every-operation">Every operation</a></li></ul>
</nav>
<main>
${operations.length === 0 ? html`<p>This plug-in has no operations.</p>` : undefined}
${Object.keys(paths).map((path) => renderOperation(document, path))}
${renderEveryOperation(operations)}
</main>
</body>
</html>
`;
  return text;
}

function renderOperation({ paths, components }: OpenApiDocument, path: string): Html | undefined {
  const operation = paths[path]?.post;
  if (!operation) return undefined;
  const { operationId, summary, security } = operation;
  const scopes = security?.flatMap(({ session }) => session) ?? [];
  return html`<section id="${operationId}" aria-labelledby="name-${operationId}">
<h2 id="name-${operationId}">${operationId}</h2>
${summary === undefined ? undefined : html`<p>${summary}</p>`}
<p class="address"><code>POST ${path}</code></p>
${scopes.length === 0 ? undefined : html`<p>Needs ${renderCodes(scopes)}</p>`}
${Object.entries(components.schemas)
  .filter(([component]) => component.startsWith(`${operationId}.`))
  .map(
    ([component, schema]) => html`<h3 id="${anchorOf(component)}">${titleOf(component)}</h3>
${renderSchema(schema)}`,
  )}
${renderErrors(operation, (code) => !isOfAll(code), 'Errors')}
</section>
`;
}

/** `vote.input`, `vote.output`, or a schema inside one of them. */
function titleOf(component: string): string {
  const [, part, ...inner] = component.split('.');
  if (inner.length > 0) return component;
  return part === 'input' ? 'Input' : 'Output';
}

const isOfAll = (code: string) => codesOfAll.some((each) => each === code);

function renderEveryOperation(operations: readonly OperationObject[]): Html {
  const [first] = operations;
  return html`<section id="every-operation" aria-labelledby="name-every-operation">
<h2 id="name-every-operation">Every operation</h2>
<p>The page sends <code>Authorization: Bearer</code> with the <code>sessionToken</code> of <code>POST /api/session</code>, and the input as JSON. An
error is <code>{ code, message, retryAfterMs?, mayHaveRun? }</code>; with <code>mayHaveRun</code> the operation may have had an effect.
So may it after an answer without the header <code>Dowel-Answer</code>: a proxy sent that.</p>
${first && renderErrors(first, isOfAll, 'Errors of every operation')}
</section>`;
}

function renderErrors(
  { responses }: OperationObject,
  isShown: (code: string) => boolean,
  title: string,
): Html | undefined {
  const rows = Object.entries(responses).flatMap(([status, { content }]) => {
    const codes = codesOf(content['application/json'].schema).filter(isShown);
    return codes.length === 0
      ? []
      : html`<tr><th scope="row">${status}</th><td>${renderCodes(codes)}</td></tr>`;
  });
  return rows.length === 0 ? undefined : html`<h3>${title}</h3><table>${rows}</table>`;
}

/** Returns no codes for an output. */
function codesOf({ properties }: { properties?: unknown }): string[] {
  const { code } = (properties ?? {}) as { code?: { enum?: string[] } };
  return code?.enum ?? [];
}

function renderCodes(words: readonly string[]): Html[] {
  return words.map((word, index) => html`${index === 0 ? '' : ', '}<code>${word}</code>`);
}
