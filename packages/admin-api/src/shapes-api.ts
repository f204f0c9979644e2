/** Shapes of what the platform sent, counted: for the dashboard, and as a text for an issue. */
import { z } from 'zod';
import { pointInTime } from './point-in-time.ts';

/** What a shape belongs to. */
const shapeKindSchema = z.enum([
  'event install',
  'event uninstall',
  'event instance_add',
  'event instance_remove',
  'event access_token',
  'init JWT',
  'src',
  'token answer',
  'notification answer',
]);

const shapeEntrySchema = z.object({
  kind: shapeKindSchema,
  /** The lines of `describeShape`, joined by `; `; for `src` that of `describeSrc`. */
  shape: z.string(),
  count: z.int().positive(),
  firstAt: pointInTime,
  lastAt: pointInTime,
});

/** `GET /admin/api/shapes`. No entry contains a value. */
export const shapesSchema = z.object({ shapes: z.array(shapeEntrySchema) });

export type ShapeKind = z.infer<typeof shapeKindSchema>;
export type ShapeEntry = z.infer<typeof shapeEntrySchema>;

/** Returns the text of all shapes, for an issue. It says so if there is none. */
export function formatShapes(shapes: readonly ShapeEntry[]): string {
  if (shapes.length === 0) {
    return 'Dowel has seen nothing of the platform yet: no event, no page, no answer.';
  }
  return [
    'Shapes that Dowel has seen of this platform, without values.',
    ...shapes.map(({ kind, shape, count, firstAt, lastAt }) =>
      [
        `\n${kind}, ${count}×, ${dateOf(firstAt)} to ${dateOf(lastAt)}`,
        ...shape.split('; ').map((line) => `  ${line}`),
      ].join('\n'),
    ),
  ].join('\n');
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
