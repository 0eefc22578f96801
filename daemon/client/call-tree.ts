// The call tree of an operation as indented text.

import { type CallTrace, inOrder, type OperationTrace } from "../protocol/call-trace.ts";

/** A text of others whose further lines stand indented below its first one, so that none looks like an entry of a list. */
export const indentFurtherLines = (text: string, indent: string): string =>
  text.replaceAll(/\r\n|[\r\n]/g, `\n${indent}`);

/** Text of a trace; `nameOf` gives aliases for addresses. */
export function callTreeText(trace: OperationTrace, nameOf: (address: string) => string): string {
  const head = [
    `operation ${trace.hash}`,
    `  ${trace.operation} by ${nameOf(trace.sender)}: ${trace.success ? "succeeded" : `failed (${indentFurtherLines(trace.failure ?? "no reason given", "    ")})`}`,
    "",
  ];
  const lines = trace.trace ? callLines(trace.trace.call, nameOf, "") : ["  no calls"];
  return [...head, ...lines, ...(trace.trace?.truncated ? ["… (too long to be kept whole)"] : []), ""].join(
    "\n",
  );
}

function callLines(call: CallTrace, nameOf: (address: string) => string, indent: string): string[] {
  const amount = call.amount === "0" ? "" : `, ${call.amount} mutez attached`;
  const undone = call.committed ? "" : ", rolled back";
  const lines = [
    `${indent}${call.method} ${nameOf(call.address)}${call.path} → ${call.status} (${call.gas} gas, ${call.durationMs.toFixed(2)} ms${amount}${undone})`,
  ];
  const inner = `${indent}  `;
  const below = (text: string): string => indentFurtherLines(text, `${inner}  `);
  if (call.error) lines.push(`${inner}error ${call.error.class}: ${below(call.error.message)}`);
  const entries = [
    ...call.kv.map(({ seq, op, key, value }) => ({
      seq,
      lines: [`${inner}kv ${op} ${below(key)}${value === undefined ? "" : ` = ${value}`}`],
    })),
    ...call.transfers.map(({ seq, from, to, amount: moved }) => ({
      seq,
      lines: [`${inner}transfer ${moved} mutez ${nameOf(from)} → ${nameOf(to)}`],
    })),
    ...(call.tickets ?? []).map(({ seq, from, to, amount: moved, ticketer }) => ({
      seq,
      lines: [`${inner}withdraw ${moved} tickets of ${nameOf(ticketer)} ${nameOf(from)} → ${nameOf(to)}`],
    })),
    ...call.logs.map(({ seq, level, text }) => ({
      seq,
      lines: [`${inner}${level.toLowerCase()} ${below(text.trimEnd())}`],
    })),
    ...call.calls.map((child) => ({ seq: child.seq, lines: callLines(child, nameOf, inner) })),
  ];
  lines.push(...inOrder(entries).flatMap((entry) => entry.lines));
  return lines;
}

export interface CallLog {
  /** The function that logged: the called one, or one that it called. */
  readonly address: string;
  readonly level: string;
  readonly text: string;
}

/** Logs of a call and of all that it called, in the order in which they were written. */
export function logsOf(call: CallTrace): CallLog[] {
  return inOrder(placedLogs(call)).map(({ address, level, text }) => ({ address, level, text }));
}

function placedLogs({
  address,
  logs,
  calls,
}: CallTrace): (CallLog & { readonly seq?: number | undefined })[] {
  return [...logs.map((log) => ({ ...log, address })), ...calls.flatMap(placedLogs)];
}

/** The logs as text, one `[LEVEL] function: text` each; empty without logs. */
export const logText = (call: CallTrace, nameOf: (address: string) => string): string =>
  logsOf(call)
    .map(
      ({ address, level, text }) =>
        `[${level}] ${nameOf(address)}: ${indentFurtherLines(text.trimEnd(), "  ")}\n`,
    )
    .join("");
