/** The first letter of a plug-in's name on a tile. Decoration: the name is beside it. */
export function PluginTile({ name, size }: { name: string; size: number }) {
  return (
    <span className="plugin-tile" aria-hidden="true" style={{ width: size, height: size }}>
      {name.trim()[0]?.toUpperCase()}
    </span>
  );
}
