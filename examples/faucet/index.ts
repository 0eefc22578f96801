// A polite faucet: pays 1 tez to whoever asks nicely, at most 5 tez to each caller.

const PAYOUT = 1_000_000; // mutez
const MOST_PER_CALLER = 5_000_000;

export default async function handler(request: Request): Promise<Response> {
  const caller = request.headers.get("Referer");
  if (caller === null) return new Response("Who are you?", { status: 400 });

  if (new URL(request.url).pathname === "/balance") {
    return Response.json({ mutez: Ledger.balance(Ledger.selfAddress) });
  }

  const { message } = (await request.json()) as { message?: string };
  if (typeof message !== "string" || !message.toLowerCase().includes("please")) {
    return new Response('Say "please".', { status: 400 });
  }

  const key = `paid/${caller}`;
  const paid = Kv.get<number>(key) ?? 0;
  if (paid + PAYOUT > MOST_PER_CALLER) return new Response("You have had enough.", { status: 403 });
  if (Ledger.balance(Ledger.selfAddress) < PAYOUT) return new Response("The faucet is dry.", { status: 503 });

  Ledger.transfer(caller, PAYOUT);
  Kv.set(key, paid + PAYOUT);
  console.log(`paid ${PAYOUT} mutez to ${caller}: ${message}`);
  return Response.json({ paid: PAYOUT, total: paid + PAYOUT });
}
