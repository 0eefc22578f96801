// The call tree of an operation as indented text.

/** Position among all entries and calls of the operation; traces of other nodes may lack it. */
interface Placed {
  readonly seq?: number | undefined;
}

/** A call in the runtime's trace. */
export interface CallNode extends Placed {
  readonly caller: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly amount: string;
  readonly status: number;
  readonly gas: number;
  readonly durationMs: number;
  readonly committed: boolean;
  readonly error?: { readonly class: string; readonly message: string };
  readonly kv: readonly (Placed & {
    readonly op: string;
    readonly key: string;
    readonly value?: string | null;
    /** What a change replaced; null for a missing key. */
    readonly before?: string | null;
  })[];
  readonly transfers: readonly (Placed & {
    readonly from: string;
    readonly to: string;
    readonly amount: string;
  })[];
  readonly logs: readonly (Placed & { readonly level: string; readonly text: string })[];
  readonly calls: readonly CallNode[];
}

export interface OperationTrace {
  readonly hash: string;
  readonly operation: string;
  readonly sender: string;
  readonly success: boolean;
  readonly failure: string | null;
  /** Null for operations without a call; truncated when it was too long to be kept. */
  readonly trace: { readonly call: CallNode; readonly truncated: boolean } | null;
}

/** Text of a trace; `nameOf` gives aliases for addresses. */
export function callTreeText(trace: OperationTrace, nameOf: (address: string) => string): string {
  const head = [
    `operation ${trace.hash}`,
    `  ${trace.operation} by ${nameOf(trace.sender)}: ${trace.success ? "succeeded" : `failed (${trace.failure ?? "no reason given"})`}`,
    "",
  ];
  const lines = trace.trace ? callLines(trace.trace.call, nameOf, "") : ["  no calls"];
  return [...head, ...lines, ...(trace.trace?.truncated ? ["… (too long to be kept whole)"] : []), ""].join(
    "\n",
  );
}

function callLines(call: CallNode, nameOf: (address: string) => string, indent: string): string[] {
  const amount = call.amount === "0" ? "" : `, ${call.amount} mutez attached`;
  const undone = call.committed ? "" : ", rolled back";
  const lines = [
    `${indent}${call.method} ${nameOf(call.address)}${call.path} → ${call.status} (${call.gas} gas, ${call.durationMs.toFixed(2)} ms${amount}${undone})`,
  ];
  const inner = `${indent}  `;
  if (call.error)
    lines.push(`${inner}error ${call.error.class}: ${call.error.message.replaceAll("\n", `\n${inner}  `)}`);
  const entries = [
    ...call.kv.map(({ seq, op, key, value }) => ({
      seq,
      lines: [`${inner}kv ${op} ${key}${value === undefined ? "" : ` = ${value}`}`],
    })),
    ...call.transfers.map(({ seq, from, to, amount: moved }) => ({
      seq,
      lines: [`${inner}transfer ${moved} mutez ${nameOf(from)} → ${nameOf(to)}`],
    })),
    ...call.logs.map(({ seq, level, text }) => ({
      seq,
      lines: [`${inner}${level.toLowerCase()} ${text.trimEnd()}`],
    })),
    ...call.calls.map((child) => ({ seq: child.seq, lines: callLines(child, nameOf, inner) })),
  ];
  lines.push(...inOrder(entries).flatMap((entry) => entry.lines));
  return lines;
}

/** Entries in order of execution, if the trace contains it. */
export function inOrder<Entry extends Placed>(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
}
