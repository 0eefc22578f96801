// The figures: the samples of each, its reference, and its target.
import { round } from "./samples.mjs";

const CALLS = "counter calls/s";

function best(samples, names, what) {
  const found = names.map((name) => samples.median(name, what)).filter((value) => value !== undefined);
  return found.length === 0 ? undefined : Math.max(...found);
}

const worst = (values) => (values.some((value) => value === undefined) ? undefined : Math.max(...values));
const difference = (a, b) => (a === undefined || b === undefined ? undefined : a - b);
const ratio = (a, b) => (a === undefined || b === undefined ? undefined : a / b);

/**
 * Rows of the page.
 * `atMost` and `atLeast` bound the ratio of `value` to `peer`, or the value itself when there is no peer.
 */
export function figures(samples) {
  const own = (what) => samples.median("functez", what);
  const of = (name, what) => samples.median(name, what);
  const evm = ["anvil", "hardhat", "ganache"];
  const lone = own("lone transfer, ms");
  const growth = (what, state) =>
    ratio(own(`lone ${what} ${state}, ms`), own(`lone ${what} of the young beside it, ${state}, ms`));
  const higher = (what) => worst(["at 10000 blocks", "at 50000 blocks"].map((state) => growth(what, state)));
  const later = (what) => growth(what, "after 100000 calls");
  const sum = (what) => {
    const all = samples.all("functez", what);
    return all.length === 0 ? undefined : all.reduce((a, b) => a + b, 0);
  };
  const row = (number, name, value, unit, peerName, peer, target) => ({
    number,
    name,
    value,
    unit,
    peerName,
    peer,
    ...target,
  });
  return [
    row(
      1,
      "`sandboxd run` → `/health` 200",
      own("start, ms"),
      "ms",
      "bare fastify",
      of("fastify hello", "start, ms"),
      { atMost: 1.2 },
    ),
    row(1, "the same", own("start, ms"), "ms", "hardhat", of("hardhat", "start, ms"), { atMost: 0.45 }),
    row(
      2,
      "→ accounts with balances",
      own("accounts, ms"),
      "ms",
      "bare fastify's start",
      of("fastify hello", "start, ms"),
      { atMost: 1.3 },
    ),
    row(
      3,
      "idle memory of the whole tree (PSS)",
      own("idle memory, MiB"),
      "MiB",
      "hardhat",
      of("hardhat", "idle memory, MiB"),
      { atMost: 0.75 },
    ),
    row(
      3,
      "processor time while idle, over 60 s",
      own("idle CPU of one core, %"),
      "%",
      undefined,
      undefined,
      {
        atMost: 0.5,
      },
    ),
    row(4, "download from npm", own("download, MiB"), "MiB", "anvil", of("anvil", "download, MiB"), {
      atMost: 1,
    }),
    row(4, "installed from npm", own("installed, MiB"), "MiB", "anvil", of("anvil", "installed, MiB"), {
      atMost: 1,
    }),
    row(5, "lone signed layer 1 transfer → receipt", lone, "ms", "anvil", of("anvil", "lone transfer, ms"), {
      atMost: 1.5,
    }),
    row(
      6,
      "lone signed counter call → receipt",
      own("lone counter call, ms"),
      "ms",
      "hardhat",
      of("hardhat", "lone counter call, ms"),
      { atMost: 2 },
    ),
    row(
      7,
      "signed counter calls with receipts, 32 at once",
      own(CALLS),
      "/s",
      "best EVM node",
      best(samples, evm, CALLS),
      { atLeast: 1.5 },
    ),
    row(7, "the same", own(CALLS), "/s", "miniflare's unsigned counter", of("miniflare", CALLS), {
      atLeast: 1,
    }),
    row(7, "the same", own(CALLS), "/s", undefined, undefined, { atLeast: 1200 }),
    row(
      8,
      "signed transfers with receipts, 32 at once",
      own("transfers/s"),
      "/s",
      "hardhat",
      of("hardhat", "transfers/s"),
      { atLeast: 1 },
    ),
    row(
      9,
      "pipelined transfers, runs of 2,000",
      own("pipelined transfers/s"),
      "/s",
      "anvil, runs of 500",
      of("anvil", "pipelined transfers/s"),
      { atLeast: 1 },
    ),
    row(
      9,
      "operations lost and stalls, all runs",
      worst([sum("pipelined operations lost"), sum("pipeline stalls")]),
      "",
      undefined,
      undefined,
      { atMost: 0 },
    ),
    row(
      10,
      "reads of a balance, 32 at once",
      own("balance reads/s"),
      "/s",
      "hardhat's eth_call",
      of("hardhat", "reads/s"),
      { atLeast: 1 },
    ),
    row(
      10,
      "reads of a value in KV, 32 at once",
      own("KV reads/s"),
      "/s",
      "hardhat's eth_call",
      of("hardhat", "reads/s"),
      { atLeast: 1 },
    ),
    row(11, "FA2 transfers with receipts, 32 at once", own("FA2 transfers/s"), "/s", undefined, undefined, {
      atLeast: 800,
    }),
    row(
      12,
      "figure 5, worst of 10,000 and 50,000 blocks over a young chain",
      higher("transfer"),
      "×",
      undefined,
      undefined,
      {
        atMost: 1.3,
      },
    ),
    row(12, "figure 6, the same", higher("counter call"), "×", undefined, undefined, { atMost: 1.3 }),
    row(
      12,
      "figure 5, after 100,000 calls over a young sandbox",
      later("transfer"),
      "×",
      undefined,
      undefined,
      {
        atMost: 1.3,
      },
    ),
    row(12, "figure 6, the same", later("counter call"), "×", undefined, undefined, { atMost: 1.3 }),
    row(
      13,
      "memory per kept block with one operation",
      own("memory per kept block, KiB"),
      "KiB",
      undefined,
      undefined,
      { atMost: 16 },
    ),
    row(
      13,
      "memory per block beyond the history",
      own("memory per block beyond the history, KiB"),
      "KiB",
      undefined,
      undefined,
      { atMost: 0.5 },
    ),
    row(
      13,
      "memory after 50,000 blocks and 10,000 operations, more than before",
      difference(own("memory after 10000 operations more, MiB"), own("memory when young, MiB")),
      "MiB",
      undefined,
      undefined,
      { atMost: 60 },
    ),
    row(14, "SIGTERM → exit", own("SIGTERM to exit, ms"), "ms", undefined, undefined, { atMost: 100 }),
    row(
      14,
      "processes and files left after SIGKILL of the parent",
      worst([
        own("processes left after SIGKILL of the parent"),
        own("files left after SIGKILL of the parent"),
      ]),
      "",
      undefined,
      undefined,
      { atMost: 0 },
    ),
    row(15, "deposit: injection → balance in the runtime", own("deposit, ms"), "ms", "figure 5", lone, {
      atMost: 2,
    }),
    row(
      16,
      "container start with the image present, beyond the same without a container",
      difference(own("container start -d, ms"), own("process start -d, ms")),
      "ms",
      undefined,
      undefined,
      { atMost: 1_500 },
    ),
    row(
      17,
      "VSIX: Start click → tree with balances",
      own("editor start, ms"),
      "ms",
      "`sandboxd run` beside the editor",
      own("start beside the editor, ms"),
      { atMost: 2 },
    ),
    ...[
      ["`functez --version`", 1.5],
      ["`functez account balance`", 2.5],
    ].map(([name, atMost]) =>
      row(18, name, own(`${name}, ms`), "ms", "`node -e 0`", of("node", "`node -e 0`, ms"), { atMost }),
    ),
    row(
      19,
      "pipelined transfers while the history follows",
      own("pipelined transfers with the history, /s"),
      "/s",
      undefined,
      undefined,
      { atLeast: 1_500 },
    ),
    row(
      19,
      "how long the history is behind then",
      own("history behind the chain, ms"),
      "ms",
      undefined,
      undefined,
      { atMost: 1_000 },
    ),
    row(
      19,
      "transfers missing in it, all runs",
      sum("transfers missing in the history"),
      "",
      undefined,
      undefined,
      { atMost: 0 },
    ),
    row(
      19,
      "first answer of the history",
      own("first answer of the history, ms"),
      "ms",
      undefined,
      undefined,
      { atMost: 400 },
    ),
    row(
      20,
      "extension host's processor time for 2,000 operations, 100 accounts, 50 functions",
      own("host's time of all, ms"),
      "ms",
      undefined,
      undefined,
      { atMost: 1_000 },
    ),
  ];
}

/** The value that is compared with the target: the ratio if there is a peer. */
export const valueToJudge = (figure) =>
  figure.peerName === undefined ? figure.value : ratio(figure.value, figure.peer);

export function verdict(figure) {
  const value = valueToJudge(figure);
  if (value === undefined || Number.isNaN(value)) return "not measured";
  const reached = figure.atMost === undefined ? value >= figure.atLeast : value <= figure.atMost;
  return reached ? "yes" : "no";
}

export function targetText({ atMost, atLeast, peerName, unit }) {
  if (atMost === undefined && atLeast === undefined) return "";
  const sign = atMost === undefined ? "≥" : "≤";
  return `${sign} ${atMost ?? atLeast} ${peerName === undefined ? unit : "×"}`.trim();
}

export function figuresText(samples) {
  return figures(samples)
    .filter(({ value }) => value !== undefined)
    .map((figure) => {
      const peer = figure.peerName === undefined ? "" : ` against ${figure.peerName} ${round(figure.peer)}`;
      return `${verdict(figure).padEnd(12)} ${String(figure.number).padStart(2)} ${figure.name}: ${round(figure.value)} ${figure.unit}${peer} → ${round(valueToJudge(figure))} (${targetText(figure)})`;
    })
    .join("\n");
}
