// Keeps the tokens that arrive over an FA bridge, for each owner apart, and sends them back to layer 1.

/** Account in whose name the runtime brings deposits. Nobody else may say that something arrived. */
const BRIDGE = "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx";

interface Deposit {
  receiver: string;
  amount: number;
  ticketHash: string;
}

interface Withdrawal {
  /** Account of layer 1 that gets the tokens. */
  receiver: string;
  amount: number;
  /** The ticket: contract that made it, and its content. */
  ticketInfo: { ticketer: string; id: number; content: number[] | null };
}

const balanceOf = (owner: string): number => (Kv.get(`balances/${owner}`) as number | null) ?? 0;

async function takeDeposit(request: Request): Promise<Response> {
  if (request.headers.get("referer") !== BRIDGE) return new Response("not the bridge", { status: 403 });
  const { receiver, amount } = (await request.json()) as Deposit;
  Kv.set(`balances/${receiver}`, balanceOf(receiver) + amount);
  return new Response();
}

async function withdraw(request: Request): Promise<Response> {
  const { receiver, amount, ticketInfo } = (await request.json()) as Withdrawal;
  const owner = request.headers.get("referer")!;
  if (!(amount > 0) || amount > balanceOf(owner)) return new Response("not enough", { status: 400 });
  Kv.set(`balances/${owner}`, balanceOf(owner) - amount);
  const routingInfo = { receiver, proxyL1Contract: ticketInfo.ticketer };
  const body = JSON.stringify({ amount, routingInfo, ticketInfo });
  return fetch("jstz://jstz/fa-withdraw", { method: "POST", body });
}

export default async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url);
  if (pathname === "/-/deposit") return takeDeposit(request);
  if (pathname === "/withdraw") return withdraw(request);
  const owner = /^\/balances\/([^/]+)$/.exec(pathname)?.[1];
  return owner === undefined
    ? new Response(null, { status: 404 })
    : Response.json({ balance: balanceOf(owner) });
};
