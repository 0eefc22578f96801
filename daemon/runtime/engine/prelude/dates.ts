// Date texts as in the real runtime's engine: always UTC, with the zone's name.

const ZONE = " (Coordinated Universal Time)";

/** QuickJS omits the zone's name. */
export function installDateTexts(): void {
  for (const name of ["toString", "toTimeString"] as const) {
    const plain = Date.prototype[name];
    const method = {
      [name](this: Date): string {
        const text = plain.call(this);
        return text.endsWith("GMT+0000") ? text + ZONE : text;
      },
    }[name];
    Object.defineProperty(Date.prototype, name, { value: method, writable: true, configurable: true });
  }
}
