// A function whose calls are held at a breakpoint, and a debugger that holds them.
import type { DapClient } from "./dap-client.ts";

export const BANK = `export default (request: Request): Response => {
  const total = Kv.get<number>("total") ?? 0;
  const amount = Number(new URL(request.url).searchParams.get("add"));
  Kv.set("total", total + amount);
  return Response.json({ total: total + amount });
};
`;
/** Of the statement that stores the sum. */
export const LINE = 4;

/** Attaches a debugger that holds calls, with a breakpoint in the bank. */
export async function holdCalls(client: DapClient, file: string, args: object = {}): Promise<DapClient> {
  await client.ask("initialize");
  await client.ask("attach", { hold: true, ...args });
  await client.event("initialized");
  await client.ask("setBreakpoints", { source: { path: file }, breakpoints: [{ line: LINE }] });
  await client.ask("configurationDone");
  return client;
}
