// The check that `functez deploy` makes before it sends code to a network that is not the sandbox.
import { relative } from "node:path";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { FunctionCode } from "../bundle-function.ts";
import type { CliContext } from "../context.ts";
import { checkFunction } from "./check-function.ts";
import { isError } from "./finding.ts";
import { findingLine } from "./report.ts";

/** Warns of findings. @throws SandboxError CHECK_FAILED when the function cannot work there */
export function checkBeforeDeploy({ terminal }: CliContext, loaded: FunctionCode, network: string): void {
  const here = process.cwd();
  const name = loaded.file === undefined ? "the code" : relative(here, loaded.file);
  const findings = checkFunction(loaded).filter(({ severity }) => severity !== "note");
  const lines = findings.map((finding) => findingLine(finding, name, here));
  if (findings.some(isError))
    throw new SandboxError("CHECK_FAILED", {
      file: name,
      network,
      findings: lines.map((line) => `  ${line}`).join("\n"),
      places: findings.flatMap(({ message, place }) => (place ? [{ message, ...place }] : [])),
    });
  for (const line of lines) terminal.warn(line);
}
