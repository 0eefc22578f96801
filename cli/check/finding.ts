// The findings of `functez check`: places in the source where the real runtime behaves differently.
import type { FindingCode, Severity } from "../../daemon/protocol/runtime-findings.ts";

/** A finding in the deployed code. */
export interface RawFinding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** The name concerned, such as that of a global; may be empty. */
  readonly subject: string;
  readonly message: string;
  /** UTF-16 offsets in the deployed code. */
  readonly start: number;
  readonly end: number;
  /** Text to replace these characters. */
  readonly replacement?: string;
  /** The code there runs as soon as the module is evaluated. */
  readonly atTopLevel: boolean;
}

/** A place in a source file; lines and columns from 1, columns in UTF-16 units. */
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
  /** Undefined for code without a source, and for findings about the whole file. */
  readonly place: Place | undefined;
  /** The package with the place; undefined for the user's own code. */
  readonly library: string | undefined;
  /** Number of places in a library; 1 in own code. */
  readonly places: number;
  /** Text for the place that removes the finding. */
  readonly replacement?: string;
}

export interface CheckedFile {
  /** As the user named it. */
  readonly file: string;
  /** Bytes of the deployed code. */
  readonly bytes: number;
  readonly bundled: boolean;
  readonly findings: readonly Finding[];
}

export const isError = ({ severity }: { readonly severity: Severity }): boolean => severity === "error";
