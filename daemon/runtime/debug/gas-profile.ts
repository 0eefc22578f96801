// Where the gas of an operation went, in the format of CPU profiles (`.cpuprofile`) that editors and viewers open: one
// unit of gas stands for a microsecond. The sum of the profile is the gas of the operation, to the unit.
import type { CpuProfile, ProfileNode } from "../../protocol/debug-api.ts";
import { type RecordedFunction, type Recording, RUNTIME_PLACE, totalGas } from "./recording.ts";

type CallFrame = ProfileNode["callFrame"];

/** Samples of a profile: what else follows is one sample for each node. */
const MAX_SAMPLES = 100_000;
/** Nodes of a profile: what is called deeper counts for its caller. */
const MAX_NODES = 20_000;

const frameNamed = (functionName: string): CallFrame => ({
  functionName,
  scriptId: "0",
  url: "",
  lineNumber: -1,
  columnNumber: -1,
});

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const frameOf = ({ name, source, line, column }: RecordedFunction): CallFrame => ({
  functionName: name,
  scriptId: "0",
  url: source,
  lineNumber: line - 1,
  columnNumber: column - 1,
});

/** A node while the profile is made. */
interface Growing {
  readonly node: Writable<ProfileNode>;
  readonly under: number[];
  readonly children: Map<string, Growing>;
  readonly lines: Map<number, number>;
  own: number;
}

/** Calls are named by the addresses of their functions. */
export function gasProfile(recording: Recording): CpuProfile {
  const { activations, calls, events, functions, places } = recording;
  const nodes: ProfileNode[] = [];
  const grow = (parent: Growing | undefined, key: string, callFrame: CallFrame): Growing => {
    const known = parent?.children.get(key);
    if (known !== undefined) return known;
    if (parent !== undefined && nodes.length >= MAX_NODES) return parent;
    const under: number[] = [];
    const node = { id: nodes.length + 1, callFrame, hitCount: 0, children: under };
    nodes.push(node);
    const made: Growing = { node, under, children: new Map(), lines: new Map(), own: 0 };
    parent?.children.set(key, made);
    parent?.under.push(node.id);
    return made;
  };
  const root = grow(undefined, "", frameNamed("(root)"));

  const callNodes: Growing[] = [];
  const ofCall = (index: number): Growing =>
    (callNodes[index] ??= (() => {
      const { address, parent } = calls[index]!;
      return grow(parent < 0 ? root : ofActivation(parent), `call ${address}`, frameNamed(address));
    })());
  const activationNodes: Growing[] = [];
  /** Iterative: programs call themselves as deep as their stack allows. */
  function ofActivation(index: number): Growing {
    const path: number[] = [];
    let at = index;
    while (at >= 0 && activationNodes[at] === undefined) {
      path.push(at);
      at = activations[at]!.parent;
    }
    let node = at >= 0 ? activationNodes[at]! : ofCall(activations[path.at(-1)!]!.call);
    for (const each of path.reverse()) {
      const { fn } = activations[each]!;
      node = grow(node, `${fn}`, frameOf(functions[fn]!));
      activationNodes[each] = node;
    }
    return node;
  }

  const samples: number[] = [];
  const lengths: number[] = [];
  const rest = new Map<number, number>();
  const spend = ({ node }: Growing, gas: number): void => {
    node.hitCount++;
    if (samples.at(-1) === node.id) lengths[lengths.length - 1]! += gas;
    else if (samples.length < MAX_SAMPLES) {
      samples.push(node.id);
      lengths.push(gas);
    } else rest.set(node.id, (rest.get(node.id) ?? 0) + gas);
  };
  const counted: Growing[] = [];
  const count = (node: Growing, line: number, gas: number): void => {
    if (node.lines.size === 0) counted.push(node);
    node.lines.set(line, (node.lines.get(line) ?? 0) + gas);
  };
  /** Who called is no longer known there. */
  const ofLater = (place: number): Growing => {
    const group = grow(root, "later", frameNamed("(later, callers not recorded)"));
    if (place === RUNTIME_PLACE) return grow(group, "runtime", frameNamed("(start and answer)"));
    const { fn } = places[place]!;
    return grow(group, `${fn}`, frameOf(functions[fn]!));
  };
  for (let i = 0; i < events.length; i++) {
    const gas = events.gas[i]!;
    if (gas === 0) continue;
    const activation = events.activation[i]!;
    const place = events.place[i]!;
    const node =
      activation < 0
        ? grow(ofCall(-1 - activation), "runtime", frameNamed("(start and answer)"))
        : ofActivation(activation);
    spend(node, gas);
    if (place !== RUNTIME_PLACE) count(node, places[place]!.line, gas);
  }
  for (const [place, { gas }] of recording.later) {
    if (gas === 0) continue;
    const node = ofLater(place);
    spend(node, gas);
    if (place !== RUNTIME_PLACE) count(node, places[place]!.line, gas);
  }
  for (const [id, gas] of rest) {
    samples.push(id);
    lengths.push(gas);
  }
  for (const { node, lines } of counted)
    node.positionTicks = [...lines].map(([line, ticks]) => ({ line, ticks }));
  return {
    nodes,
    startTime: 0,
    endTime: totalGas(recording),
    samples,
    timeDeltas: samples.map((_, i) => (i === 0 ? 0 : lengths[i - 1]!)),
  };
}
