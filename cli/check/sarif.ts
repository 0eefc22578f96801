// The result of `functez check` as SARIF 2.1.0, which code hosts and editors import.
import { VERSION } from "../../daemon/protocol/constants.ts";
import { type FindingCode, FINDINGS } from "../../daemon/protocol/runtime-findings.ts";
import type { CheckedFile, Finding } from "./finding.ts";
import { shownPath } from "./report.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const CODES = Object.keys(FINDINGS) as FindingCode[];

/** @param folder root of the project: paths are relative to it, as code hosts need */
export function sarifLog(files: readonly CheckedFile[], folder: string): object {
  const results = files.flatMap(({ file, findings }) =>
    findings.map((finding) => resultOf(finding, file, folder)),
  );
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [{ tool: { driver: driver() }, columnKind: "utf16CodeUnits", results }],
  };
}

function driver(): object {
  return {
    name: "functez check",
    semanticVersion: VERSION,
    rules: CODES.map((id) => {
      const { title, there, severity } = FINDINGS[id];
      return {
        id,
        shortDescription: { text: title },
        fullDescription: { text: `On the real runtime: ${there}.` },
        defaultConfiguration: { level: severity },
      };
    }),
  };
}

function resultOf(
  { code, severity, message, place, replacement }: Finding,
  file: string,
  folder: string,
): object {
  const uri = encodeURI(place === undefined ? file.replaceAll("\\", "/") : shownPath(place.file, folder));
  const region =
    place === undefined
      ? { startLine: 1 }
      : { startLine: place.line, startColumn: place.column, endColumn: place.endColumn };
  const location = { physicalLocation: { artifactLocation: { uri }, region } };
  return {
    ruleId: code,
    ruleIndex: CODES.indexOf(code),
    level: severity,
    message: { text: message },
    locations: [location],
    ...(replacement !== undefined && {
      fixes: [
        {
          description: { text: `Use ${replacement}.` },
          artifactChanges: [
            {
              artifactLocation: { uri },
              replacements: [{ deletedRegion: region, insertedContent: { text: replacement } }],
            },
          ],
        },
      ],
    }),
  };
}
