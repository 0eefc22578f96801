// The same functions in both modes: what the real runtime does otherwise happens only in strict mode.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../daemon/protocol/constants.ts";
import {
  EXTRA_GLOBALS,
  extraMembers,
  LIMITS,
  realGlobals,
  TEXTS,
  THROWING_FUNCTIONS,
  THROWING_GETTER,
} from "../daemon/protocol/real-runtime.ts";
import type { Sandbox, startSandbox as StartSandbox, TestAccount } from "../testing/testing.ts";
import { builtCli, DIST } from "./support/built-cli.ts";

/** Where engines and their embedders differ without a program that could tell by accident. */
const OF_ENGINES = [
  ...["Error.prepareStackTrace", "Error.prototype.stack", "Object.prototype.__proto__"],
  ...["Function.prototype.columnNumber", "Function.prototype.fileName", "Function.prototype.lineNumber"],
  // Nobody can name their keys where Symbol.dispose and Symbol.asyncDispose are missing.
  ...["AsyncIterator.[Symbol.asyncDispose]", "Iterator.prototype.[Symbol.dispose]"],
  // Functions that could be used as constructors.
  ...["BigInt.prototype.toLocaleString.prototype", "Number.prototype.toLocaleString.prototype"],
  "String.prototype.localeCompare.prototype",
];

interface Mode {
  readonly sandbox: Sandbox;
  readonly alice: TestAccount;
}

let usual: Mode;
let strict: Mode;
beforeAll(async () => {
  const kit = (await import(pathToFileURL(join(DIST, "testing.mjs")).href)) as {
    startSandbox: typeof StartSandbox;
  };
  const start = async (isStrict: boolean): Promise<Mode> => {
    // The date is fixed there, whatever is asked for.
    const sandbox = await kit.startSandbox({ strict: isStrict, realTime: true });
    return { sandbox, alice: await sandbox.createAccount({ tez: "20" }) };
  };
  [usual, strict] = [await start(false), await start(true)];
});
afterAll(() => Promise.all([usual.sandbox.stop(), strict.sandbox.stop()]));

/** Deploys code to a sandbox, calls it, and describes its answer. */
async function answerOf({ sandbox, alice }: Mode, code: string): Promise<string> {
  const deployed = await sandbox.deploy(code, { from: alice });
  const response = await deployed.call("/?a=1", { from: alice });
  return `${response.status} ${await response.text()}`;
}
const handler = (body: string) => `export default async (request) => {\n${body}\n};`;
const result = (expression: string) => handler(`return new Response(String(${expression}));`);

describe("differs from the usual mode in", () => {
  it.each([...EXTRA_GLOBALS])("the global %s", async (name) => {
    expect(await answerOf(usual, result(`typeof ${name} !== "undefined"`))).toBe("200 true");
    expect(
      await answerOf(strict, result(`typeof ${name} === "undefined" && !("${name}" in globalThis)`)),
    ).toBe("200 true");
    expect(await answerOf(strict, result(`typeof ${name} === "undefined" || ${name}`))).toBe("200 true");
  });

  it("what is newer than its JavaScript", async () => {
    const members = extraMembers().map(
      (path) => `"${path.replace(/.*\./, "")}" in ${path.replace(/\.\w+$/, "")}`,
    );
    const code = result(`[${members.join()}].filter(Boolean).length`);
    expect(await answerOf(usual, code)).toBe(`200 ${members.length}`);
    expect(await answerOf(strict, code)).toBe("200 0");
  });

  it("symbols for disposal, though Symbol is otherwise itself", async () => {
    const code = result(
      `[typeof Symbol.dispose, Symbol.name, Symbol.length, Symbol("a").description, Symbol().description,
        Symbol.for("a") === Symbol.for("a"), Object(Symbol.iterator) instanceof Symbol, [].keys()[Symbol.iterator]() !== null,
        Symbol.prototype.constructor === Symbol, Object.keys(Symbol).length, (() => { try { new Symbol(); } catch (e) { return e.name; } })()].join()`,
    );
    const rest = "Symbol,0,a,,true,true,true,true,0,TypeError";
    expect(await answerOf(usual, code)).toBe(`200 symbol,${rest}`);
    expect(await answerOf(strict, code)).toBe(`200 undefined,${rest}`);
  });

  it.each([
    [
      "Kv.has",
      result("Kv.has('a')"),
      "200 false",
      /^500 .*"class":"RuntimeError".*TypeError: not a function/,
    ],
    ["`has` in Kv", result("'has' in Kv"), "200 true", /^200 false$/],
    ["location", result("typeof location"), "200 undefined", /^500 .*must be defined in a worker/],
    ["the date, which is fixed", result(`Date.now() === ${LIMITS.now}`), "200 false", /^200 true$/],
    [
      "withdrawals of functions",
      handler(
        "const body = JSON.stringify({ amount: 1, receiver: request.headers.get('referer') });\n" +
          "const answer = await fetch('jstz://jstz/withdraw', { method: 'POST', body });\n" +
          "return new Response(`${answer.status} ${await answer.text()}`);",
      ),
      '200 500 {"class":"RuntimeError","message":"InsufficientFunds"}',
      /^200 404 Not Found$/,
    ],
  ])("%s", async (_what, code, here, there) => {
    expect(await answerOf(usual, code)).toBe(here);
    expect(await answerOf(strict, code)).toMatch(there);
  });

  it.each([
    {
      way: "Ledger.balance",
      read: (address: string) => `Ledger.balance("${address}")`,
      unused: ["tz2KDvEL9fuvytRfe1cVVDo1QfDfaBktGNkh", "KT1TxqZ8QtKvLu3V3JH7Gx58n7Co8pgtpQU5"],
    },
    {
      way: "a request",
      read: (address: string) => `await (await fetch("jstz://jstz/balances/${address}")).text()`,
      unused: ["tz3QxNCB8HgxJyp5V9ZmCVGcTm6BzYc14k9C", "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT"],
    },
  ])("an account whose balance $way reads, which exists afterwards", async ({ read, unused }) => {
    const balances = `[${unused.map(read).join()}].join()`;
    const reading = (status: number) => handler(`return new Response(${balances}, { status: ${status} });`);
    const statuses = ({ sandbox }: Mode) =>
      Promise.all(
        unused.map(async (one) => (await fetch(`${sandbox.endpoints.runtime}/accounts/${one}`)).status),
      );
    expect(await answerOf(usual, reading(200))).toBe("200 0,0");
    expect(await statuses(usual)).toEqual([404, 404]);
    expect(await answerOf(strict, reading(500))).toBe("500 0,0"); // rolled back
    expect(await statuses(strict)).toEqual([404, 404]);
    expect(await answerOf(strict, reading(200))).toBe("200 0,0");
    expect(await statuses(strict)).toEqual([200, 200]);
  });

  it("calls that one function starts at once, which add up", async () => {
    const answers = async (mode: Mode, count: number, depth: number) => {
      const { sandbox, alice } = mode;
      let inner = await sandbox.deploy("export default () => new Response('ok');", { from: alice });
      for (let level = 0; level < depth; level++)
        inner = await sandbox.deploy(handler(`return fetch("jstz://${inner.address}/");`), { from: alice });
      const call = `fetch("jstz://${inner.address}/").then((answer) => answer.status)`;
      return answerOf(mode, result(`(await Promise.all([${Array(count).fill(call).join()}])).join()`));
    };
    expect(await answers(usual, 6, 0)).toBe("200 200,200,200,200,200,200");
    expect(await answers(strict, 6, 0)).toBe("200 200,200,200,200,500,500");
    expect(await answers(strict, 4, 0)).toBe("200 200,200,200,200");
    const inTurn = handler(
      "let sum = 0;\nfor (let i = 0; i < 8; i++) sum += (await fetch(request.headers.get('to'))).status;\nreturn new Response(String(sum));",
    );
    for (const mode of [usual, strict]) {
      const target = await mode.sandbox.deploy("export default () => new Response('ok');", {
        from: mode.alice,
      });
      const code = inTurn.replace("request.headers.get('to')", `"jstz://${target.address}/"`);
      expect(await answerOf(mode, code)).toBe("200 1600");
    }
  });

  it("the size of a call", async () => {
    const call = async ({ sandbox, alice }: Mode, length: number) => {
      const echo = await sandbox.deploy(handler("return new Response(await request.text());"), {
        from: alice,
      });
      const answer = await echo.call("/", { from: alice, method: "POST", body: "x".repeat(length) });
      return (await answer.text()).length;
    };
    expect(await call(usual, 10_000)).toBe(10_000);
    expect(await call(strict, 2_700)).toBe(2_700);
    await expect(call(strict, 10_000)).rejects.toMatchObject({
      message: expect.stringContaining(TEXTS.largeRun) as string,
    });
  });
});

it("refuses header values that are numbers", async () => {
  const { address, publicKey } = BOOTSTRAP_ACCOUNTS[0];
  const statusOf = async ({ sandbox }: Mode): Promise<number> => {
    const content = {
      _type: "RunFunction",
      uri: `jstz://${address}/`,
      method: "GET",
      headers: { "x-a": 5 },
      body: null,
      gasLimit: 1,
    };
    const answer = await fetch(`${sandbox.endpoints.runtime}/operations/hash`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ publicKey, nonce: 0, content }),
    });
    return answer.status;
  };
  expect([await statusOf(usual), await statusOf(strict)]).toEqual([200, 422]);
});

it("has the globals of the real runtime, apart from what this engine lacks", async () => {
  const real = realGlobals();
  const globalsOf = async (mode: Mode) => {
    const answer = await answerOf(mode, result("Object.getOwnPropertyNames(globalThis)"));
    return answer.slice("200 ".length).split(",");
  };
  const [here, there] = [await globalsOf(usual), await globalsOf(strict)];
  const known = new Set<string>([...real, ...THROWING_FUNCTIONS, THROWING_GETTER]);
  const extra = (names: readonly string[]) => names.filter((name) => !known.has(name)).sort();
  expect(extra(here)).toEqual([...EXTRA_GLOBALS].sort());
  expect(extra(there)).toEqual([]);
  expect([...real].filter((name) => !there.includes(name)).sort()).toEqual([
    "Atomics",
    "Deno",
    "SharedArrayBuffer",
    "Temporal",
    "WebAssembly",
  ]);
});

it("has no member of the language that the engine of the real runtime lacks", async () => {
  const read = (name: string) => readFileSync(new URL(`./support/${name}`, import.meta.url), "utf8");
  const there = new Set(read("v8-13.0-members.txt").trim().split("\n"));
  const newer = async (mode: Mode) => {
    const answer = await answerOf(mode, read("list-members.mjs"));
    const here = answer.slice("200 ".length).split("\n");
    expect(here.length).toBeGreaterThan(500);
    return here.filter((member) => !there.has(member) && !OF_ENGINES.includes(member)).sort();
  };
  expect(await newer(strict)).toEqual([]);
  const listed = [...EXTRA_GLOBALS, ...extraMembers()];
  const here = await newer(usual);
  expect(here.filter((member) => !listed.some((name) => member.startsWith(`${name}.`)))).toEqual(
    listed.filter((name) => here.includes(name)).sort(),
  );
  expect(here).toEqual(expect.arrayContaining(extraMembers()));
});

describe("is the same as the usual mode in", () => {
  it.each([...THROWING_FUNCTIONS])("%s, which throws", async (name) => {
    const code = handler(`try { ${name}(() => 1); } catch (error) { return new Response(error.message); }`);
    for (const mode of [usual, strict])
      expect(await answerOf(mode, code)).toBe(`200 '${name}()' is not supported`);
  });

  it("what both have", async () => {
    const code = handler(
      "Kv.set('a', 1);\nconst url = new URL(request.url);\n" +
        "return Response.json([Kv.contains('a'), Kv.get('a'), Object.isFrozen(Kv), String(Kv), url.searchParams.get('a'), Math.random(), typeof Ledger.selfAddress]);",
    );
    const expected = '200 [true,1,true,"[object Kv]","1",0.42,"string"]';
    for (const mode of [usual, strict]) expect(await answerOf(mode, code)).toBe(expected);
  });
});

it("is what `functez exec --strict` starts, and `runtime_node.strict` asks for", async () => {
  const cli = builtCli();
  try {
    const config = join(cli.configHome, "sandbox.json");
    writeFileSync(config, '{ "runtime_node": { "strict": true } }');
    const functez = `"${process.execPath}" "${join(DIST, "functez.mjs")}"`;
    const script = [
      `${functez} account create alice --force`,
      `${functez} deploy 'export default () => new Response(typeof crypto)' --name f --force`,
      `${functez} run f/`,
    ].join(" && ");
    const typeOfCrypto = async (...options: string[]) =>
      (await cli.functez(["exec", ...options, "--", "sh", "-c", script])).stdout.trim().split("\n").at(-1);
    expect(await typeOfCrypto()).toBe("object");
    expect(await typeOfCrypto("--strict")).toBe("undefined");
    expect(await typeOfCrypto("--config", config)).toBe("undefined");
  } finally {
    await cli.dispose();
  }
});
