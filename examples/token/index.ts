// A fungible and multi-asset token in the style of FA2: the owner mints, holders transfer, operators act for
// holders. Balances are whole units.

interface Transfer {
  readonly from: string;
  readonly transfers: readonly { readonly to: string; readonly tokenId: number; readonly amount: number }[];
}

const balanceKey = (owner: string, tokenId: number): string => `balances/${owner}/${tokenId}`;
const operatorKey = (owner: string, operator: string, tokenId: number): string =>
  `operators/${owner}/${operator}/${tokenId}`;

const balanceOf = (owner: string, tokenId: number): number => Kv.get<number>(balanceKey(owner, tokenId)) ?? 0;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function requireAmount(amount: unknown): number {
  if (typeof amount !== "number" || !Number.isSafeInteger(amount) || amount <= 0) {
    throw new Refusal(400, "FA2_INVALID_AMOUNT");
  }
  return amount;
}

function mint(caller: string, to: string, tokenId: number, amount: number): void {
  const owner = Kv.get<string>("owner");
  // Whoever mints first owns the token.
  if (owner === null) Kv.set("owner", caller);
  else if (owner !== caller) throw new Refusal(403, "FA2_NOT_OWNER");
  Kv.set(balanceKey(to, tokenId), balanceOf(to, tokenId) + requireAmount(amount));
  Kv.set(`supply/${tokenId}`, (Kv.get<number>(`supply/${tokenId}`) ?? 0) + amount);
}

function transfer(caller: string, batch: readonly Transfer[]): void {
  for (const { from, transfers } of batch) {
    for (const { to, tokenId, amount } of transfers) {
      if (caller !== from && !Kv.contains(operatorKey(from, caller, tokenId)))
        throw new Refusal(403, "FA2_NOT_OPERATOR");
      const left = balanceOf(from, tokenId) - requireAmount(amount);
      if (left < 0) throw new Refusal(400, "FA2_INSUFFICIENT_BALANCE");
      Kv.set(balanceKey(from, tokenId), left);
      Kv.set(balanceKey(to, tokenId), balanceOf(to, tokenId) + amount);
    }
  }
}

export default async function handler(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const caller = request.headers.get("Referer") ?? "";
  try {
    switch (`${request.method} ${url.pathname}`) {
      case "POST /mint": {
        const { to, tokenId, amount } = (await request.json()) as {
          to: string;
          tokenId: number;
          amount: number;
        };
        mint(caller, to, tokenId, amount);
        return Response.json({ balance: balanceOf(to, tokenId) });
      }
      case "POST /transfer":
        transfer(caller, (await request.json()) as Transfer[]);
        return new Response(null, { status: 204 });
      case "POST /operators": {
        const { operator, tokenId, allowed } = (await request.json()) as {
          operator: string;
          tokenId: number;
          allowed: boolean;
        };
        if (allowed) Kv.set(operatorKey(caller, operator, tokenId), true);
        else Kv.delete(operatorKey(caller, operator, tokenId));
        return new Response(null, { status: 204 });
      }
      case "GET /balance": {
        const owner = url.searchParams.get("owner") ?? caller;
        const tokenId = Number(url.searchParams.get("tokenId") ?? 0);
        return Response.json({ owner, tokenId, balance: balanceOf(owner, tokenId) });
      }
      case "GET /supply":
        return Response.json({
          supply: Kv.get<number>(`supply/${url.searchParams.get("tokenId") ?? 0}`) ?? 0,
        });
      default:
        return new Response("Not Found", { status: 404 });
    }
  } catch (error) {
    // A status outside 2xx rolls every change of this call back.
    if (error instanceof Refusal) return Response.json({ error: error.message }, { status: error.status });
    throw error;
  }
}
