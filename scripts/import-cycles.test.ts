/**
 * Product files do not import each other in a circle. In a circle no file can be read first, and which file loads first
 * depends on who imports it. A type-only import loads nothing, so it may close a circle.
 */
import { describe, expect, test } from 'vitest';
import { listProduct, listSources, readImports, resolveImport } from './read-imports.ts';

type Graph = Map<string, string[]>;

function readGraph(files: readonly string[]): Graph {
  return new Map(files.map((file) => [file, loadedBy(file)]));
}

function loadedBy(file: string): string[] {
  return readImports(file)
    .filter(({ isRuntime }) => isRuntime)
    .flatMap(({ path }) => resolveImport(file, path) ?? []);
}

/** One cycle for each import that leads back to a file on the way to it. */
function findCycles(graph: Graph): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]) => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file) || way.includes(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

test('finds the cycle in a graph', () => {
  const graph = new Map([
    ['first', ['second', 'third']],
    ['second', ['third']],
    ['third', ['second']],
  ]);

  expect(findCycles(graph)).toEqual(['second → third → second']);
});

describe('no import leads back to its own file', () => {
  test.each(listSources())('in %s', (source) => {
    const graph = readGraph(listProduct(source));

    expect(graph.size).toBeGreaterThan(0);
    expect(findCycles(graph)).toEqual([]);
  });
});
