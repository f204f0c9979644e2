/** A wooden dowel on teal. Decoration: the name is beside it. */
export function DowelMark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#00697a" />
      <g transform="rotate(-45 16 16)">
        <rect x="5" y="11.5" width="22" height="9" rx="3" fill="#f3d9ac" />
        <path d="M10 14.5h12M10 17.5h12" stroke="#b07d34" strokeWidth="1.4" strokeLinecap="round" />
      </g>
    </svg>
  );
}
