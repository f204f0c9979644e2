/** A JSON Schema in words, for people: its type, its limits, its members. */
import { type Html, html } from './html.ts';

/** A JSON Schema as zod writes it, with references into the document's components. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const componentPath = '#/components/schemas/';

/** The place of a component on the page. */
export const anchorOf = (component: string) => `schema-${component}`;

/** The whole schema: one line for its type, and its members below. */
export function renderSchema(schema: JsonSchema): Html {
  return html`<p class="line">${typeOf(schema)}${renderNotes(schema)}</p>${renderMembers(schema)}`;
}

/** The type in one line, without what is inside it. */
function typeOf(schema: JsonSchema): Html {
  const { $ref, const: value, enum: values, type } = schema;
  if (typeof $ref === 'string') return renderReference($ref);
  if (value !== undefined) return renderValue(value);
  if (Array.isArray(values)) return joinWith(values.map(renderValue), ' or ');
  const branches = branchesOf(schema);
  if (branches.length > 0)
    return joinWith(distinct(branches.map(renderPart)), conjunctionOf(schema));
  if (type === 'array') return listTypeOf(schema);
  if (Array.isArray(type)) return html`${type.join(' or ')}`;
  if (type === 'object' && isEmpty(schema.properties) && schema.additionalProperties === false) {
    return html`empty object`;
  }
  if (typeof type === 'string') return html`${type}`;
  return html`${isEmpty(schema.not) ? 'nothing' : 'any JSON'}`;
}

/** The type as a part of another one: its limits in brackets. */
function renderPart(schema: JsonSchema): Html {
  const notes = notesOf(schema);
  return notes.length === 0
    ? typeOf(schema)
    : html`${typeOf(schema)} <span class="notes">(${joinWith(notes, ', ')})</span>`;
}

function renderReference(reference: string): Html {
  const component = reference.replace(componentPath, '');
  return html`<a href="#${anchorOf(component)}">${component}</a>`;
}

const renderValue = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`;

function listTypeOf({ items, prefixItems }: JsonSchema): Html {
  if (Array.isArray(prefixItems)) {
    return html`list of ${joinWith(prefixItems.map(renderPart), ', then ')}`;
  }
  return isSchema(items) ? html`list of ${renderPart(items)}` : html`list`;
}

function branchesOf({ anyOf, oneOf, allOf }: JsonSchema): JsonSchema[] {
  return [anyOf, oneOf, allOf].flatMap((list) =>
    Array.isArray(list) ? list.filter(isSchema) : [],
  );
}

const conjunctionOf = ({ allOf }: JsonSchema) => (Array.isArray(allOf) ? ' and ' : ' or ');

function renderNotes(schema: JsonSchema): Html {
  const notes = notesOf(schema);
  return notes.length === 0 ? html`` : html`<span class="notes">, ${joinWith(notes, ', ')}</span>`;
}

const notesOf = (schema: JsonSchema) => [...limitsOf(schema), ...extrasOf(schema)];

/** JavaScript's own limits of whole numbers are not shown. */
const isOwnLimit = (value: number) => Math.abs(value) === Number.MAX_SAFE_INTEGER;

/** The number of a keyword that limits something. */
function limitOf(schema: JsonSchema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' && !isOwnLimit(value) ? value : undefined;
}

function limitsOf(schema: JsonSchema): Html[] {
  const limit = (keyword: string) => limitOf(schema, keyword);
  return [
    describeRange(limit('minLength'), limit('maxLength'), ' characters'),
    // `prefixItems` already shows the number of items.
    schema.prefixItems ? undefined : describeRange(limit('minItems'), limit('maxItems'), ' items'),
    describeRange(limit('minimum'), limit('maximum'), ''),
    describeLimit('more than', limit('exclusiveMinimum')),
    describeLimit('less than', limit('exclusiveMaximum')),
    describeLimit('a multiple of', limit('multipleOf')),
  ].flatMap((text) => (text === undefined ? [] : html`${text}`));
}

const describeLimit = (words: string, limit: number | undefined) =>
  limit === undefined ? undefined : `${words} ${limit}`;

function describeRange(
  least: number | undefined,
  most: number | undefined,
  unit: string,
): string | undefined {
  if (least !== undefined && least === most) return `exactly ${least}${unit}`;
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? undefined : `at most ${most}${unit}`;
}

function extrasOf({ format, pattern, default: otherwise }: JsonSchema): Html[] {
  return [
    typeof format === 'string' ? html`${format}` : undefined,
    // The pattern of a format is left out: it means the same, but is hard to read.
    typeof pattern === 'string' && format === undefined
      ? html`matches <code>${pattern}</code>`
      : undefined,
    otherwise === undefined ? undefined : html`default ${renderValue(otherwise)}`,
  ].filter((extra) => extra !== undefined);
}

/** Renders the members: the properties of an object, also inside a list or each of several forms. */
function renderMembers(schema: JsonSchema): Html {
  const { items, prefixItems } = schema;
  const parts = [...branchesOf(schema), ...[items, prefixItems].flat().filter(isSchema)];
  const inner = parts.map(renderMembers).filter(({ text }) => text !== '');
  return html`${renderProperties(schema)}${inner.length > 1 ? renderForms(inner) : inner}`;
}

function renderForms(forms: Html[]): Html {
  return html`<ol class="forms">${forms.map((form) => html`<li>${form}</li>`)}</ol>`;
}

function renderProperties(schema: JsonSchema): Html {
  const { properties, required, additionalProperties: others } = schema;
  const members = isSchema(properties) ? Object.entries(properties) : [];
  const names = Array.isArray(required) ? required : [];
  const rows = members.map(([name, member]) =>
    renderProperty(html`<code class="name">${name}</code>`, asSchema(member), names.includes(name)),
  );
  if (isSchema(others)) rows.push(renderProperty(describeNames(schema), others, false));
  return rows.length === 0 ? html`` : html`<ul class="members">${rows}</ul>`;
}

/** The names that an object may have besides its properties. */
function describeNames({ properties, propertyNames }: JsonSchema): Html {
  const which = isSchema(properties) ? 'any other name' : 'any name';
  return html`${which}${isSchema(propertyNames) ? renderNotes(propertyNames) : undefined}:`;
}

function renderProperty(name: Html, schema: JsonSchema, isRequired: boolean): Html {
  const { description } = schema;
  return html`<li><p class="line">${name} ${typeOf(schema)}${renderNotes(schema)}${
    isRequired ? html`, <strong>required</strong>` : undefined
  }</p>${typeof description === 'string' ? html`<p>${description}</p>` : undefined}${renderMembers(schema)}</li>`;
}

function distinct(pieces: readonly Html[]): Html[] {
  return [...new Map(pieces.map((piece) => [piece.text, piece])).values()];
}

function joinWith(pieces: readonly Html[], separator: string): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : html`${separator}${piece}`))}`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isEmpty = (value: unknown) => isSchema(value) && Object.keys(value).length === 0;

/** `true` means any value. */
const asSchema = (value: unknown): JsonSchema => (isSchema(value) ? value : {});
