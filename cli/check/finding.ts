// What `functez check` reports: places of the source with a difference of the real runtime.
import type { FindingCode, Severity } from "../../daemon/protocol/runtime-findings.ts";

/** A finding in the code that is deployed. */
export interface RawFinding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** The name or text that it is about: that of a global, or empty. */
  readonly subject: string;
  readonly message: string;
  /** UTF-16 offsets in the deployed code. */
  readonly start: number;
  readonly end: number;
  /** A text to put in the place of these characters. */
  readonly replacement?: string;
  /** The code there runs as soon as the module is evaluated. */
  readonly atTopLevel: boolean;
}

/** A place of a source file; lines and columns from 1, columns in UTF-16 units. */
export interface Place {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
}

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly message: string;
  /** Undefined where the code has no source, or the finding is about all of it. */
  readonly place: Place | undefined;
  /** The package with the place, if it is not the user's own code. */
  readonly library: string | undefined;
  /** Number of places in a library; 1 in own code. */
  readonly places: number;
  /** Replacing the characters of the place by this removes the finding. */
  readonly replacement?: string;
}

export interface CheckedFile {
  /** As the user named it. */
  readonly file: string;
  /** Bytes of the code that is deployed. */
  readonly bytes: number;
  readonly bundled: boolean;
  readonly findings: readonly Finding[];
}

export const isError = ({ severity }: { readonly severity: Severity }): boolean => severity === "error";
