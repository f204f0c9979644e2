/** The dowel that joins two boards. Decoration. */
export function EmulatorMark({ size }: { size: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden="true"
      className="emulator-mark"
    >
      <rect width="32" height="32" rx="9" fill="#00606f" />
      <path d="M6 9h9v14H6zM17 9h9v14h-9z" fill="#fff" />
      <rect x="10" y="13.5" width="12" height="5" rx="1.5" fill="#e39a1c" />
    </svg>
  );
}
