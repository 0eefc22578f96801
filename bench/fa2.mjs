// A multi-asset token as a smart function, for the benchmark: an itty-sized router, balances and operators in Kv.
const routes = [];
const on = (method, pattern, handle) =>
  routes.push({ method, match: new RegExp(`^${pattern.replace(/:(\w+)/g, "(?<$1>[^/]+)")}/?$`), handle });

const balanceKey = (owner, token) => `balances/${owner}/${token}`;
const balance = (owner, token) => Kv.get(balanceKey(owner, token)) ?? 0;

class InsufficientBalance extends Error {
  constructor(owner, token, wanted) {
    super(`${owner} has ${balance(owner, token)} of token ${token}, wanted ${wanted}`);
    this.name = "InsufficientBalance";
  }
}

function move({ from, transfers }, caller) {
  for (const { to, token_id, amount } of transfers) {
    if (!Number.isInteger(amount) || amount < 0) throw new TypeError("amount must be a whole number");
    if (from !== caller && !(Kv.get(`operators/${from}`) ?? [caller]).includes(caller))
      throw new Error("not an operator");
    const before = balance(from, token_id);
    if (before < amount) throw new InsufficientBalance(from, token_id, amount);
    Kv.set(balanceKey(from, token_id), before - amount);
    Kv.set(balanceKey(to, token_id), balance(to, token_id) + amount);
  }
}

on("POST", "/mint", async (request) => {
  const { owner, token_id, amount } = await request.json();
  Kv.set(balanceKey(owner, token_id), balance(owner, token_id) + amount);
  Kv.set(`supply/${token_id}`, (Kv.get(`supply/${token_id}`) ?? 0) + amount);
  return Response.json({ minted: amount });
});
on("POST", "/transfer", async (request) => {
  const caller = request.headers.get("referer");
  const list = await request.json();
  for (const item of list) move(item, caller);
  return Response.json({ moved: list.length });
});
on("GET", "/balance/:owner/:token", (_request, { owner, token }) => Response.json(balance(owner, token)));

export default async function main(request) {
  const url = new URL(request.url);
  for (const { method, match, handle } of routes) {
    const found = request.method === method && match.exec(url.pathname);
    if (found) return handle(request, found.groups ?? {}, url.searchParams);
  }
  return new Response("not found", { status: 404 });
}
