/** The style sheet of the reference page, for light and dark, and for narrow screens. */
import { html } from './html.ts';

export const referenceStyle = html`
:root {
  --text: #1b2733; --dim: #55626f; --line: #d5dce2; --back: #ffffff; --soft: #f2f5f7; --link: #00606d; --strong: #8a3b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e9ed; --dim: #a3b0bb; --line: #38444e; --back: #14191d; --soft: #1f272d; --link: #6ed0de; --strong: #ffb783;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 72rem; color: var(--text); background: var(--back);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.25; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; }
a { color: var(--link); }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code { font: .875em/1.5 ui-monospace, monospace; }
header > p, .notes { color: var(--dim); }
nav ul, .members { margin: 0; padding: 0; list-style: none; }
nav li { padding: .125rem 0; }
section { margin: 1.5rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; scroll-margin: 1rem; }
.address { padding: .5rem .75rem; border-radius: .25rem; background: var(--soft); }
.members { padding-left: .75rem; border-left: 2px solid var(--line); }
.members li { padding: .25rem 0; }
.forms { margin: .25rem 0; padding-left: 1.5rem; }
.name { font-weight: 600; }
.line strong { color: var(--strong); font-weight: 600; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th { width: 5rem; font-weight: 600; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 14rem 1fr; column-gap: 2rem; padding: 2rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 2rem; align-self: start; max-height: calc(100vh - 4rem); overflow: auto; margin-top: 1.5rem; }
  main { min-width: 0; }
}
`;
