// The packed VSIX: its content, its size, and reproducible packing.
import { deepEqual, ok } from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nameInVsix, PACKER_FILES, VSIX_LIMIT, vsixFiles, zipEntries } from "../../tools/vsix-files.mjs";
import { packVsix, ROOT } from "./rig.mjs";

/** @param {string} vsix path of the packed extension */
export async function packageOutcomes(vsix) {
  const packed = readFileSync(vsix);
  return [
    await outcome("the VSIX holds exactly the files of the list", () => {
      const expected = [...PACKER_FILES, ...vsixFiles(ROOT).map(nameInVsix)];
      deepEqual(zipEntries(packed).sort(), expected.sort());
    }),
    await outcome("the VSIX is small", () => {
      ok(packed.length <= VSIX_LIMIT, `${packed.length} bytes, at most ${VSIX_LIMIT}`);
    }),
    await outcome("a second packing gives the same bytes", async () => {
      const again = join(ROOT, "out/functez-again.vsix");
      await packVsix(again);
      const second = readFileSync(again);
      rmSync(again);
      deepEqual(zipEntries(second), zipEntries(packed));
      ok(second.equals(packed), "the entries are the same, their bytes are not");
    }),
  ];
}

async function outcome(title, check) {
  const started = Date.now();
  try {
    await check();
    return { title, passed: true, ms: Date.now() - started };
  } catch (error) {
    return { title, passed: false, ms: Date.now() - started, message: error.stack };
  }
}
