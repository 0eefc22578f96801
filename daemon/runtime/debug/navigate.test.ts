import { describe, expect, it } from "vitest";
import {
  eventAt,
  goBack,
  goOn,
  stackOf,
  startOf,
  stepBack,
  stepIn,
  stepInBack,
  stepOut,
  stepOutBack,
  stepOver,
} from "./navigate.ts";
import { type Activation, EVENT, Events, type Recording } from "./recording.ts";

/** Events as `activation:line`, with `~` where a function goes on and `!` where something is thrown. */
function recordingOf(
  events: string,
  activations: readonly Pick<Activation, "parent" | "call">[],
  callParents: readonly number[] = [-1],
): Recording {
  const made = new Events();
  events.split(" ").forEach((event, i) => {
    const [activation, line] = event.replace(/^[~!]/, "").split(":").map(Number);
    const kind = event.startsWith("~") ? EVENT.resumed : event.startsWith("!") ? EVENT.thrown : EVENT.line;
    made.add(10 * (i + 1), kind, line!, activation!);
  });
  return {
    calls: callParents.map((parent) => ({ address: "KT1", parent })),
    functions: [],
    places: [],
    activations: activations.map((activation) => ({ fn: 0, ...activation })),
    events: made,
    later: new Map(),
  };
}

const top = { parent: -1, call: 0 };

describe("stepping through calls", () => {
  //                             0   1   2   3   4   5    6   7   8
  const recording = recordingOf("0:1 0:2 1:7 2:9 1:8 ~0:2 0:3 3:7 0:4", [
    top,
    { parent: 0, call: 0 },
    { parent: 1, call: 0 },
    { parent: 0, call: 0 },
  ]);

  it("goes in, over and out", () => {
    expect(stepIn(recording, 1)).toBe(2);
    expect(stepOver(recording, 1)).toBe(6);
    expect(stepOver(recording, 2)).toBe(4);
    expect(stepOver(recording, 4)).toBe(6); // its end: on in its caller
    expect(stepOut(recording, 3)).toBe(4);
    expect(stepOut(recording, 2)).toBe(6);
    expect(stepOut(recording, 0)).toBeUndefined();
    expect(stepIn(recording, 4)).toBe(6); // not where a function merely goes on
    expect(stepOver(recording, 8)).toBeUndefined();
  });

  it("goes back the same ways", () => {
    expect(stepInBack(recording, 6)).toBe(4);
    expect(stepBack(recording, 6)).toBe(1);
    expect(stepBack(recording, 4)).toBe(2);
    expect(stepBack(recording, 2)).toBe(1);
    expect(stepOutBack(recording, 3)).toBe(2);
    expect(stepOutBack(recording, 4)).toBe(1);
    expect(stepBack(recording, 0)).toBeUndefined();
  });

  it("undoes each step over by a step back, within a function", () => {
    for (const from of [0, 1, 6]) expect(stepBack(recording, stepOver(recording, from)!)).toBe(from);
  });

  it("restarts a frame, finds moments, and knows the stack", () => {
    expect(startOf(recording, 4)).toBe(2);
    expect(startOf(recording, 8)).toBe(0);
    expect([5, 10, 19, 20, 95].map((moment) => eventAt(recording, moment))).toEqual([undefined, 0, 0, 1, 8]);
    expect(stackOf(recording, 3)).toEqual([2, 1, 0]);
  });
});

it("takes recursion for what it is: activations of their own", () => {
  const recording = recordingOf("0:1 1:1 2:1 2:2 1:2 0:2", [
    top,
    { parent: 0, call: 0 },
    { parent: 1, call: 0 },
  ]);
  expect(stepOver(recording, 0)).toBe(5);
  expect(stepOver(recording, 1)).toBe(4);
  expect(stepBack(recording, 5)).toBe(0);
});

it("counts each turn of a loop on one line", () => {
  const recording = recordingOf("0:1 0:2 0:2 0:2 0:3", [top]);
  expect(stepOver(recording, 1)).toBe(2);
  expect(goBack(recording, 4, { at: (event) => recording.events.place[event] === 2 })).toBe(3);
  expect(goOn(recording, 1, { at: (event) => recording.events.place[event] === 2 })).toBe(2);
});

it("steps out of a called smart function to the line that goes on after its fetch", () => {
  // Two calls by one function, both under way before it awaits.
  const recording = recordingOf(
    "0:1 0:2 1:8 1:9 2:8 2:9 ~0:2 0:3",
    [top, { parent: -1, call: 1 }, { parent: -1, call: 2 }],
    [-1, 0, 0],
  );
  expect(stackOf(recording, 3)).toEqual([1, 0]);
  expect(stepOut(recording, 2)).toBe(7);
  expect(stepOver(recording, 3)).toBe(7);
  expect(stepOver(recording, 1)).toBe(7);
  expect(stepIn(recording, 3)).toBe(4);
  expect(stepOutBack(recording, 5)).toBe(1);
});

it("goes on where nothing of the stack does: in a continuation", () => {
  const recording = recordingOf("0:1 1:5", [top, top]);
  expect(stepOver(recording, 0)).toBe(1);
  expect(stepOut(recording, 0)).toBeUndefined();
});

it("stops at what is thrown, before the line that catches it", () => {
  const recording = recordingOf("0:1 1:5 !1:5 0:3", [top, { parent: 0, call: 0 }]);
  expect(goOn(recording, 0, { at: (event) => recording.events.kind[event] === EVENT.thrown })).toBe(2);
  expect(stepOver(recording, 2)).toBe(3);
});
