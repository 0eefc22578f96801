// Our own icons: one path each on a 16 × 16 grid.
const PATHS = {
  copy: "M5.5 5.5V3.2c0-.7.5-1.2 1.2-1.2h6.1c.7 0 1.2.5 1.2 1.2v6.1c0 .7-.5 1.2-1.2 1.2h-2.3M3.2 5.5h6.1c.7 0 1.2.5 1.2 1.2v6.1c0 .7-.5 1.2-1.2 1.2H3.2c-.7 0-1.2-.5-1.2-1.2V6.7c0-.7.5-1.2 1.2-1.2Z",
  check: "M2.5 8.5 6 12l7.5-8",
  cross: "M4 4l8 8M12 4l-8 8",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  right: "M6 3.5 10.5 8 6 12.5",
  send: "M14 2 7 9M14 2 9.5 14 7 9 2 6.5 14 2Z",
  again: "M13 3v3.5H9.5M12.8 6.5A5.2 5.2 0 1 0 13.2 9.5",
  edit: "M3 10.5 10.5 3 13 5.5 5.5 13H3v-2.5Z",
  drop: "M8 2v9M4.5 7.5 8 11l3.5-3.5M3 14h10",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.3l2.2 1.6",
  warning: "M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.2v.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
