// Error classes of the runtime that guests can name.

import { errorClass } from "./host.ts";

function runtimeError(name: string): new (message?: string) => Error {
  const made = {
    [name]: class extends Error {
      constructor(message?: string) {
        super(message);
        Object.defineProperty(this, "name", {
          value: name,
          writable: true,
          configurable: true,
          enumerable: false,
        });
      }
    },
  }[name] as new (message?: string) => Error;
  errorClass(name, made);
  return made;
}

export const RuntimeError = runtimeError("RuntimeError");
export const NotSupported = runtimeError("NotSupported");
export const CompileModuleError = runtimeError("CompileModuleError");

export const notSupported = (message: string): Error => new NotSupported(message);

/** A stack may be set to anything, as in V8; the engine's own setter takes texts only. */
export function allowAnyStack(): void {
  const own = Object.getOwnPropertyDescriptor(Error.prototype, "stack") as PropertyDescriptor;
  const { set } = own;
  Object.defineProperty(Error.prototype, "stack", {
    ...own,
    set(this: object, value: unknown) {
      if (typeof value === "string") set!.call(this, value);
      else Object.defineProperty(this, "stack", { value, writable: true, configurable: true });
    },
  });
}
