// `functez check`: what a smart function does that the real runtime does differently, at its place in the source.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { visible, visibleJson } from "../../daemon/text/visible-text.ts";
import { loadFunction } from "../bundle-function.ts";
import { checkFunction } from "../check/check-function.ts";
import { type CheckedFile, isError } from "../check/finding.ts";
import { checkAsJson, findingLine, summary } from "../check/report.ts";
import type { CliContext } from "../context.ts";

export interface CheckOptions {
  readonly format: "text" | "json" | "sarif";
}

/** Where the function of a project is, if no file is named: as `functez init` makes it. */
const USUAL_FILES = [join("src", "index.ts"), "index.ts"];

/** @returns the exit code: 1 if anything was found that fails on the real runtime, or a file could not be built */
export async function check(
  { terminal }: CliContext,
  named: readonly string[],
  { format }: CheckOptions,
): Promise<number> {
  const here = process.cwd();
  const checked: CheckedFile[] = [];
  let failures = 0;
  const files = named.length > 0 ? named : usualFile();
  for (const file of files) {
    try {
      checked.push(await checkFile(file, here));
    } catch (error) {
      if (!(error instanceof SandboxError) || files.length === 1) throw error;
      terminal.failure(error); // the other files are checked nevertheless
      failures += 1;
    }
  }
  const findings = checked.flatMap((file) => file.findings);
  if (format === "sarif") {
    const { sarifLog } = await import("../check/sarif.ts");
    const log = sarifLog(checked, here);
    terminal.print(visibleJson(JSON.stringify(log, null, 2)));
    terminal.data(log);
  } else if (format === "json") {
    const data = checkAsJson(checked, here);
    terminal.print(visibleJson(JSON.stringify(data, null, 2)));
    terminal.data(data);
  } else {
    for (const { file, findings: own } of checked)
      for (const finding of own) terminal.print(visible(findingLine(finding, file, here)));
    terminal.data(checkAsJson(checked, here));
    terminal.note(
      `${checked.length} ${checked.length === 1 ? "file" : "files"} checked: ${summary(findings)}`,
    );
  }
  return failures > 0 || findings.some(isError) ? 1 : 0;
}

function usualFile(): string[] {
  const file = USUAL_FILES.find((path) => existsSync(path));
  if (file !== undefined) return [file];
  throw new SandboxError("INPUT_NEEDED", {
    what: `The file to check (there is no ${USUAL_FILES.join(" or ")})`,
    option: "an argument",
  });
}

/** @throws SandboxError FILE_UNREADABLE, BUILD_FAILED */
async function checkFile(file: string, here: string): Promise<CheckedFile> {
  const loaded = await loadFunction(file, here, { withMap: true, ownBundler: true });
  if (loaded.file === undefined)
    throw new SandboxError("FILE_UNREADABLE", { file, reason: "there is no such file" });
  const { code, bundled } = loaded;
  return { file, bytes: Buffer.byteLength(code), bundled, findings: checkFunction(loaded) };
}
