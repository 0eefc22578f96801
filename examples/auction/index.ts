// Auctions with tez in escrow: a bid carries its tez, the bid before it is paid back at once, and closing pays the seller.

interface Auction {
  readonly id: number;
  readonly seller: string;
  readonly item: string;
  /** Least first bid, in mutez. */
  readonly reserve: number;
  readonly state: "open" | "closed" | "cancelled";
  readonly bid: { readonly by: string; readonly amount: number } | null;
}

/** A bid must exceed the one before by a twentieth. */
const leastBid = ({ bid, reserve }: Auction): number =>
  bid === null ? reserve : Math.ceil((bid.amount * 21) / 20);

const refuse = (status: number, error: string, more: object = {}): Response =>
  Response.json({ error, ...more }, { status });

const save = (auction: Auction): Response => {
  Kv.set(`auctions/${auction.id}`, auction);
  return Response.json(auction);
};

async function open(request: Request, seller: string): Promise<Response> {
  const { item, reserve } = (await request.json()) as { item?: unknown; reserve?: unknown };
  if (typeof item !== "string" || item === "") return refuse(400, "item: a text");
  if (typeof reserve !== "number" || !Number.isSafeInteger(reserve) || reserve <= 0)
    return refuse(400, "reserve: mutez, above 0");
  const id = Kv.get<number>("next") ?? 1;
  Kv.set("next", id + 1);
  return save({ id, seller, item, reserve, state: "open", bid: null });
}

function bid(auction: Auction, by: string, amount: number): Response {
  if (auction.state !== "open") return refuse(409, `the auction is ${auction.state}`);
  if (by === auction.seller) return refuse(403, "sellers do not bid");
  const least = leastBid(auction);
  // Any refusal gives the tez of this call back: nothing of a call without success lasts.
  if (amount < least) return refuse(402, "the bid is too low", { least });
  if (auction.bid !== null) Ledger.transfer(auction.bid.by, auction.bid.amount);
  return save({ ...auction, bid: { by, amount } });
}

function close(auction: Auction, caller: string): Response {
  if (caller !== auction.seller) return refuse(403, "only the seller closes");
  if (auction.state !== "open") return refuse(409, `the auction is ${auction.state}`);
  if (auction.bid !== null) Ledger.transfer(auction.seller, auction.bid.amount);
  return save({ ...auction, state: "closed" });
}

function cancel(auction: Auction, caller: string): Response {
  if (caller !== auction.seller) return refuse(403, "only the seller cancels");
  if (auction.state !== "open") return refuse(409, `the auction is ${auction.state}`);
  if (auction.bid !== null) Ledger.transfer(auction.bid.by, auction.bid.amount);
  return save({ ...auction, state: "cancelled" });
}

export default async function handler(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const caller = request.headers.get("Referer") ?? "";
  if (request.method === "POST" && pathname === "/auctions") return open(request, caller);

  const [, id, action] = /^\/auctions\/(\d{1,9})(?:\/(\w+))?$/.exec(pathname) ?? [];
  const auction = id === undefined ? null : Kv.get<Auction & KvValue>(`auctions/${id}`);
  if (auction === null) return refuse(404, "no such auction");
  if (request.method === "GET" && action === undefined) return Response.json(auction);
  if (request.method !== "POST") return refuse(405, "use POST");
  switch (action) {
    case "bid":
      return bid(auction, caller, Number(request.headers.get("X-JSTZ-AMOUNT") ?? 0));
    case "close":
      return close(auction, caller);
    case "cancel":
      return cancel(auction, caller);
    default:
      return refuse(404, "use bid, close or cancel");
  }
}
