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
      <path d="M7 11h7v10H7zM18 11h7v10h-7z" fill="#fff" />
      <path d="M14 14.5h4v3h-4z" fill="#ffce80" />
    </svg>
  );
}
