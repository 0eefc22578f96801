// Random requests, mostly nearly valid ones, to every route of the three servers: each gets a documented status, no
// rejected one changes anything, and the log shows no bug of ours.
import { Agent, request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltCli, type ReadyLine, type RunningProcess, startedSandbox } from "../support/built-cli.ts";
import { amount, SEED } from "../support/long-run.ts";
import { ownerOf } from "../support/processes.ts";
import { type HostileRequest, hostileRequest, type Route } from "./support/hostile-input.ts";
import { documentedRoutes, layer1Routes } from "./support/routes.ts";

let cli: BuiltCli;
let daemon: RunningProcess;
let ready: ReadyLine;
beforeAll(async () => {
  ({ cli, process: daemon, ready } = await startedSandbox({ layer1_node: { block_time: 3600 } }));
});
afterAll(() => cli.dispose());

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
afterAll(() => agent.destroy());

const BATCH = 32;
/** Far longer than any request may take, even on a busy machine. */
const ANSWER_MS = 20_000;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request; a stream is closed once its headers arrive. */
function send(base: string, { method, path, headers, body }: HostileRequest): Promise<Answer> {
  const url = new URL(base);
  // Node's client would send the body of a DELETE without a length.
  const own = { ...ownerOf(cli, ready), ...headers }; // to reach the owner's routes too
  const framed = body === undefined ? own : { ...own, "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { host: url.hostname, port: url.port, method, path, headers: framed, agent };
    const sent = request(options, (response) => {
      const status = response.statusCode ?? 0;
      if (isStream(response.headers["content-type"], path)) {
        response.destroy();
        return resolve({ status, body: "" });
      }
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.once("end", () => resolve({ status, body: text }));
      response.once("error", reject);
    });
    sent.setTimeout(ANSWER_MS, () => sent.destroy(new Error(`${method} ${path}: no answer`)));
    sent.once("error", reject);
    sent.end(body);
  });
}

function isStream(type: string | undefined, path: string): boolean {
  return type === "text/event-stream" || /monitor/.test(path);
}

const json = async (url: string): Promise<unknown> =>
  (await fetch(url, { headers: ownerOf(cli, ready) })).json();

/** State that a rejected request must not change. */
async function state(): Promise<unknown> {
  return [
    await json(`${ready.layer1}/admin/chain`),
    await json(`${ready.sandboxd}/accounts`),
    await json(`${ready.sandboxd}/config/`),
    await json(`${ready.runtime}/traces?limit=1`),
  ];
}

interface Server {
  readonly base: string;
  readonly routes: readonly Route[];
  /** Why an answer is wrong, or undefined. */
  readonly judge: (request: HostileRequest, answer: Answer) => string | undefined;
}

async function fuzz({ base, routes, judge }: Server, batches: number): Promise<number> {
  let answered = 0;
  const property = fc.asyncProperty(
    fc.array(hostileRequest(routes), { minLength: BATCH, maxLength: BATCH }),
    async (requests) => {
      const before = await state();
      const answers = await Promise.all(requests.map((one) => send(base, one)));
      answered += answers.length;
      let changes = false;
      for (const [i, answer] of answers.entries()) {
        const wrong = judge(requests[i]!, answer);
        if (wrong !== undefined) {
          throw new Error(
            `${wrong}: ${JSON.stringify(requests[i])} got ${answer.status} ${answer.body.slice(0, 500)}`,
          );
        }
        changes ||= answer.status < 300 && !["GET", "HEAD", "OPTIONS"].includes(requests[i]!.method);
      }
      if (!changes) expect(await state()).toEqual(before);
      expect(daemon.output()).not.toMatch(/unexpected/);
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: batches, endOnFailure: true });
  expect((await fetch(`${ready.sandboxd}/health`)).status).toBe(200);
  return answered;
}

const LIMIT_MS = amount(120_000, 3_600_000);

it(
  "sandboxd answers each with a status below 500 or a documented 503, in its own error format",
  async () => {
    const routes = (await documentedRoutes(ready.sandboxd)).filter(({ path }) => path !== "/shutdown");
    expect(routes.length).toBeGreaterThan(10);
    const judge: Server["judge"] = ({ method, path }, { status, body }) => {
      if (status >= 500 && status !== 503) return "an undocumented status";
      if (status < 400 || method === "HEAD") return undefined;
      if (path.startsWith("/explorer/api/") && body === "") return undefined; // what the part answered
      const { error } = JSON.parse(body) as { error?: { code?: string; message?: string; next?: string } };
      return error?.code && error.message && error.next ? undefined : "another form of error";
    };
    const runs = amount(40, 10_417);
    expect(await fuzz({ base: ready.sandboxd, routes, judge }, runs)).toBe(runs * BATCH);
  },
  LIMIT_MS,
);

it(
  "the runtime answers each with a status below 500, or 503 when its queue is full",
  async () => {
    const routes = await documentedRoutes(ready.runtime);
    expect(routes.length).toBeGreaterThan(10);
    const judge: Server["judge"] = (_request, { status, body }) =>
      status < 500 || (status === 503 && body.includes("queue is full"))
        ? undefined
        : "an undocumented status";
    const runs = amount(40, 10_417);
    expect(await fuzz({ base: ready.runtime, routes, judge }, runs)).toBe(runs * BATCH);
  },
  LIMIT_MS,
);

it(
  "layer 1 answers each like a node: 500 only with a list of errors caused by the client",
  async () => {
    const routes = layer1Routes();
    expect(routes.length).toBeGreaterThan(60);
    const judge: Server["judge"] = (_request, { status, body }) => {
      if (status < 500) return undefined;
      const errors = JSON.parse(body) as { id?: string; msg?: string }[];
      if (!Array.isArray(errors) || errors.some(({ id }) => typeof id !== "string"))
        return "no list of errors";
      return /failed to answer/.test(body) ? "a bug of ours" : undefined;
    };
    const runs = amount(40, 10_417);
    expect(await fuzz({ base: ready.layer1, routes, judge }, runs)).toBe(runs * BATCH);
  },
  LIMIT_MS,
);
