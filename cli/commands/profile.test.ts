import { expect, it } from "vitest";
import type { CpuProfile } from "../../daemon/protocol/debug-api.ts";
import { profileTable } from "./profile.ts";

const frame = (functionName: string, url = "", lineNumber = -1) => ({
  functionName,
  scriptId: "0",
  url,
  lineNumber,
  columnNumber: 0,
});
const node = (id: number, callFrame: ReturnType<typeof frame>) => ({
  id,
  callFrame,
  hitCount: 1,
  children: [],
});

it("sums the gas of functions over all their callers, the last sample until the end", () => {
  const profile: CpuProfile = {
    nodes: [
      node(1, frame("(root)")),
      node(2, frame("default", "jstz://KT1", 4)),
      node(3, frame("twice", "jstz://KT1", 0)),
      node(4, frame("twice", "jstz://KT1", 0)),
    ],
    startTime: 0,
    endTime: 1_000,
    samples: [2, 3, 2, 4],
    timeDeltas: [0, 100, 500, 200],
  };
  expect(profileTable("ab", profile)).toEqual([
    "operation ab",
    "  1000 gas",
    "",
    "   700   70.0 %  twice  jstz://KT1:1",
    "   300   30.0 %  default  jstz://KT1:5",
  ]);
});

it("names the rest of many functions together", () => {
  const ids = Array.from({ length: 30 }, (_, i) => i + 1);
  const profile: CpuProfile = {
    nodes: ids.map((id) => node(id, frame(`f${id}`))),
    startTime: 0,
    endTime: 300,
    samples: ids,
    timeDeltas: ids.map((id) => (id === 1 ? 0 : 10)),
  };
  const rows = profileTable("ab", profile);
  expect(rows).toHaveLength(3 + 21);
  expect(rows.at(-1)).toBe("  100   33.3 %  (10 other functions)");
});
